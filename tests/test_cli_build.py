"""`sfbow build` and `sfbow info`: from vectors to a model folder, and what is in it."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from test_cli_encode import fault, make_model, misuse, succeeded

from sfbow import SFBoW, WordVectors
from sfbow.cli import cli
from sfbow.cli.facts_table import size_text
from sfbow.locks import locked

WORDS = ["the", "of", "guitar", "music", "Paris", "xyzzy", "café", *(f"w{i}" for i in range(93))]
MATRIX = np.random.default_rng(1).standard_normal((len(WORDS), 4)).astype(np.float32)


def sfbow(*arguments: str | Path, data: str = ""):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], input=data)


@pytest.fixture
def vectors(tmp_path) -> Path:
    path = tmp_path / "vectors.txt"
    rows = (" ".join(map(repr, row)) for row in MATRIX.tolist())
    lines = (f"{word} {row}\n" for word, row in zip(WORDS, rows, strict=True))
    path.write_text("".join(lines), encoding="utf-8")
    return path


def facts(path: Path, *options: str, data: str = "") -> dict:
    done = sfbow("info", path, "--format", "json", *options, data=data)
    return json.loads(succeeded(done).stdout)


def build(vectors: Path, *options: str | Path) -> dict:
    out = vectors.with_name("built")
    succeeded(sfbow("build", vectors, "-o", out, "--force", *options))
    assert not list(out.parent.glob(".*"))
    return facts(out)


def test_the_recommended_model(vectors):
    found = build(vectors)
    assert found["words"] == len(WORDS)
    assert (found["dimensions"], found["size"], found["bits"]) == (4, 8, 32)
    assert found["universe"]["kind"] == "ica"
    assert found["settings"] == {
        "measure": "otsuka",
        "weights": {"sif": 0.01, "frequencies": "rank"},
        "counts": False,
        "casing": "both",
        "punctuation": False,
        "split": "words",
    }
    assert SFBoW.from_pretrained(vectors.with_name("built")).encode("music").any()


def test_the_papers_model(vectors):
    found = build(vectors, "--paper")
    assert found["universe"] == {"kind": "identity", "signed": False}
    assert found["size"] == 4
    settings = found["settings"]
    assert (settings["measure"], settings["weights"]) == ("jaccard", None)
    assert (settings["weights"], settings["counts"]) == (None, True)
    assert build(vectors, "--paper", "--universe", "pca", "--signed")["size"] == 8


def test_the_same_model_as_in_python(vectors):
    from sfbow import Sif, Universe

    build(vectors, "--universe", "pca", "--unsigned", "--sif-a", "0.02")
    words = WordVectors.load(vectors)
    model = SFBoW(words, Universe.pca(words), weights=Sif(0.02))
    built = SFBoW.from_pretrained(vectors.with_name("built"))
    texts = ["the music of Paris", "café guitar"]
    np.testing.assert_allclose(built.encode(texts), model.encode(texts), rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "size"),
    [
        (["--universe", "pca", "--unsigned"], 4),
        (["--universe", "identity"], 8),
        (["--universe", "dbscan", "--eps", "9", "--unsigned"], 1),
        (["--universe", "dbscan", "--eps", "1.9", "--metric", "cosine"], 2),
    ],
)
def test_universes(vectors, options, size):
    assert build(vectors, *options)["size"] == size


@pytest.mark.parametrize("kind", ["kmeans", "spherical-kmeans"])
def test_clusters(vectors, kind):
    found = build(vectors, "--universe", kind, "--k", "5", "--seed", "3")
    assert found["size"] == 10
    assert found["universe"]["seed"] == 3
    assert "clusters  5; " in succeeded(sfbow("info", vectors.with_name("built"))).stdout


def test_which_words(tmp_path, vectors):
    listed = tmp_path / "list.txt"
    listed.write_text("Guitar\nxyzzy\nw1\nw2\nw3\nw4\nw5\nw6\n")
    assert build(vectors, "--words", "20")["words"] == 20
    assert build(vectors, "--limit", "30")["words"] == 30
    english = build(vectors, "--words", "english", "--universe", "identity")
    assert english["first_words"][:4] == ["the", "of", "guitar", "music"]
    assert "xyzzy" not in english["first_words"]
    assert build(vectors, "--words", listed)["words"] == 8
    found = build(vectors, "--universe-words", "40")
    assert (found["words"], found["universe"]["words"]) == (len(WORDS), 40)
    found = build(vectors, "--universe-words", listed, "--universe", "pca", "--words", "8")
    assert found["universe"]["words"] == 2


def test_counts_for_the_weights(tmp_path, vectors):
    counts = tmp_path / "counts.txt"
    counts.write_text("the 100\nmusic\t1\n")
    found = build(vectors, "--counts", counts)
    assert found["settings"]["weights"] == {"sif": 0.01, "frequencies": "counts"}
    counts.write_text("the many\n")
    done = sfbow("build", vectors, "-o", tmp_path / "x", "--counts", counts)
    assert "line 1: expected a word and its count" in fault(done)
    assert build(vectors, "--weights", "none")["settings"]["weights"] is None


def test_eight_bits(vectors):
    assert build(vectors, "--bits", "8")["bits"] == 8


def test_folders_of_vectors(tmp_path, vectors):
    WordVectors.load(vectors).save(tmp_path / "folder")
    assert build(tmp_path / "folder")["words"] == len(WORDS)
    found = facts(tmp_path / "folder")
    assert (found["kind"], found["words"], found["cased"]) == ("word vectors", 100, True)
    assert found["format"] == "sfbow folder, from GloVe text"
    covered = facts(tmp_path / "folder", "--coverage", "-", data="The guitar of foo\n")["coverage"]
    assert (covered["tokens"], covered["known_tokens"]) == (4, 3)


def test_a_wide_universe_is_stored_beside_the_words(vectors, monkeypatch):
    monkeypatch.setattr("sfbow.cli.build._TABLE_IN_MEMORY", 0)
    found = build(vectors, "--universe", "kmeans", "--k", "20")
    assert (found["size"], found["bits"]) == (40, 32)
    assert list(vectors.with_name("built").glob("vectors-*"))


def test_vectors_of_subwords(tmp_path):
    fixture = Path(__file__).parents[2] / "shared" / "fixtures" / "fasttext" / "skipgram_24d.bin"
    if not fixture.exists():
        pytest.skip("no fastText model")
    out = tmp_path / "built"
    succeeded(sfbow("build", fixture, "-o", out))
    found = facts(out)
    assert found["subwords"] == {"shortest": 3, "longest": 6, "buckets": 3000}
    assert facts(fixture)["subwords"] == found["subwords"]
    assert "unknown words get a vector" in succeeded(sfbow("info", out)).stdout


def test_what_may_be_overwritten(tmp_path, vectors):
    full, file, empty = tmp_path / "full", tmp_path / "file", tmp_path / "a" / "b" / "empty"
    full.mkdir()
    (full / "thesis.tex").touch()
    file.touch()
    for path in (full, file):
        done = sfbow("build", vectors, "-o", path, "--force")
        assert "expected a new folder or a model to replace" in fault(done)
    assert [path.name for path in full.iterdir()] == ["thesis.tex"]
    empty.mkdir(parents=True)
    succeeded(sfbow("build", vectors, "-o", empty))
    before = facts(empty)
    done = sfbow("build", vectors, "-o", empty, "--paper")
    assert "found a model; replace it with --force" in fault(done)
    assert facts(empty) == before
    succeeded(sfbow("build", vectors, "-o", empty, "--paper", "--force"))
    assert facts(empty)["settings"]["measure"] == "jaccard"
    succeeded(sfbow("build", vectors, "-o", tmp_path / "new" / "model"))


def test_what_a_killed_build_left_goes(tmp_path, vectors):
    left, in_use, other = (
        tmp_path / f".sfbow-build-{end}" for end in ("abcd_123", "efgh_456", "notes")
    )
    for folder in (left, in_use, other):
        (folder / "vectors").mkdir(parents=True)
    with locked(in_use):
        succeeded(sfbow("build", vectors, "-o", tmp_path / "x"))
    assert not left.exists()
    assert in_use.exists()
    assert other.exists()


def test_misuse_of_build(tmp_path, vectors):
    def message(*options: str) -> str:
        return misuse(sfbow("build", vectors, "-o", tmp_path / "x", *options))

    assert "needs the number of clusters" in message("--universe", "kmeans")
    assert "needs a radius" in message("--universe", "dbscan")
    assert "--k is for" in message("--k", "5")
    assert "--metric is for" in message("--metric", "cosine", "--universe", "pca")
    assert "--seed is for" in message("--seed", "1", "--universe", "pca")
    assert "--universe-words is for" in message("--universe-words", "9", "--universe", "identity")
    assert "--paper sets --measure" in message("--paper", "--measure", "dice")
    assert "are for --weights sif" in message("--weights", "none", "--sif-a", "1")
    assert not (tmp_path / "x").exists()


def test_hostile_vectors(tmp_path, vectors):
    out = tmp_path / "out" / "x"
    cases = {"none": None, "empty": b"", "nul": b"\0" * 100, "short": b"2 3\na 1 2 3\n"}
    for name, data in cases.items():
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        assert str(path) in fault(sfbow("build", path, "-o", out))
        assert str(path) in fault(sfbow("info", path, "--coverage", "-"))
    assert "a: expected a number above 0" in fault(
        sfbow("build", vectors, "-o", out, "--sif-a", "-7")
    )
    assert "word list" in fault(sfbow("build", vectors, "-o", out, "--words", "0"))
    assert "at most the 100 words" in fault(
        sfbow("build", vectors, "-o", out, "--universe", "kmeans", "--k", "101")
    )
    assert list(out.parent.iterdir()) == []


def test_repeated_words_are_told_in_one_line(tmp_path, vectors):
    vectors.write_text(vectors.read_text("utf-8") + "the 1 2 3 4\n", encoding="utf-8")
    done = succeeded(sfbow("build", vectors, "-o", tmp_path / "x"))
    assert done.stderr == (
        f"sfbow: warning: {vectors}: 1 words that came before; the first of each counts\n"
    )


def test_info_of_a_model(tmp_path):
    model = make_model(tmp_path / "model")
    table = succeeded(sfbow("info", model)).stdout
    assert f"model     {model}\n" in table
    assert "identity: 8 fuzzy sets over 4 dimensions, signed (4 axes and their opposites)" in table
    assert all(line == line.rstrip() for line in table.splitlines())
    done = succeeded(sfbow("info", model, "--verify"))
    assert "verified  3 files have the SHA-256 they should" in done.stdout
    data = next(Path(model).glob("memberships*"))
    content = bytearray(data.read_bytes())
    content[-1] ^= 1
    data.write_bytes(content)
    assert "expected the SHA-256" in fault(sfbow("info", model, "--verify"))


def test_info_of_vector_files(tmp_path, vectors):
    found = facts(vectors)
    assert (found["format"], found["dimensions"], found["words"]) == ("GloVe text", 4, None)
    assert found["words_estimate"] == len(WORDS)
    assert found["cased"]
    assert "about 100, guessed" in succeeded(sfbow("info", vectors)).stdout
    packed = tmp_path / "vectors.gz"
    packed.write_bytes(gzip.compress(vectors.read_bytes()))
    assert "unknown before the file is unpacked" in succeeded(sfbow("info", packed)).stdout
    headed = tmp_path / "headed"
    headed.write_bytes(b"100 4\n" + vectors.read_bytes())
    assert facts(headed)["words"] == 100
    headed.write_bytes(b"2 2\nthe 1 2\ncity 3 4\n")
    assert not facts(headed)["cased"]
    assert "\ncasing        lower case\n" in succeeded(sfbow("info", headed)).stdout
    assert "--verify is for folders" in misuse(sfbow("info", vectors, "--verify"))


def test_coverage(tmp_path, vectors):
    text = "The guitar of a foo\nFOO bar\n\nParis paris\n"
    build(vectors)
    for path in (vectors, vectors.with_name("built")):
        assert facts(path, "--coverage", "-", data=text)["coverage"] == {
            "file": "-",
            "texts": 4,
            "texts_without_known_word": 2,
            "tokens": 9,
            "known_tokens": 4,
            "words": 8,
            "known_words": 4,
            "most_frequent_unknown": {"foo": 2, "a": 1, "bar": 1, "paris": 1},
        }
    done = succeeded(sfbow("info", vectors, "--coverage", "-", data=text))
    assert "known         44.4% of 9 words, 50.0% of 8 distinct words" in done.stdout
    empty = succeeded(sfbow("info", vectors, "--coverage", "-"))
    assert "0.0% of 0 words" in empty.stdout
    assert "line 1: expected UTF-8" in fault(
        CliRunner().invoke(cli, ["info", str(vectors), "--coverage", "-"], input=b"\xff\n")
    )


def test_info_of_nothing(tmp_path):
    assert "found no such folder" in fault(sfbow("info", tmp_path / "none"))
    assert "found a folder without them" in fault(sfbow("info", tmp_path))


def test_sizes_in_words():
    assert [size_text(size) for size in (0, 999, 1000, 43_700_000, 3.6e9, 5e15)] == [
        "0 bytes", "999 bytes", "1.0 KB", "43.7 MB", "3.6 GB", "5,000.0 TB",
    ]  # fmt: skip
