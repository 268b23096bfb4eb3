"""`sfbow encode` and `sfbow similar`: formats, hostile input, whole output or none."""

import csv
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from sfbow import SFBoW, Universe, WordVectors
from sfbow.cli import cli

WORDS = ["the", "a", "man", "woman", "plays", "guitar", "music", "café"]
TEXTS = ["The man plays.", "", "a woman, the café; the guitar", "  ", "music\tmusic"]


def make_model(folder: Path) -> str:
    rng = np.random.default_rng(0)
    words = WordVectors(WORDS, rng.standard_normal((len(WORDS), 4)).astype(np.float32))
    SFBoW(words, Universe.identity(4).signed()).save_pretrained(folder)
    return str(folder)


@pytest.fixture
def model(tmp_path) -> str:
    return make_model(tmp_path / "model")


@pytest.fixture
def expected(model) -> np.ndarray:
    return SFBoW.from_pretrained(model).encode(TEXTS)


@pytest.fixture
def sfbow(model):
    def run(command: str, *arguments: str | Path, data: bytes | str = b"") -> Result:
        given = [command, "--model", model, *map(str, arguments)]
        return CliRunner().invoke(cli, given, input=data)

    return run


def succeeded(result: Result) -> Result:
    assert result.exit_code == 0, result.stderr
    return result


def fault(result: Result) -> str:
    assert result.exit_code == 1
    assert result.stderr.startswith("sfbow: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("sfbow: ").rstrip("\n")


def misuse(result: Result) -> str:
    assert result.exit_code == 2
    return result.stderr.splitlines()[-1].removeprefix("Error: ")


def rows_of(output: str) -> tuple[list[str], np.ndarray]:
    records = [json.loads(line) for line in output.split("\n")[:-1]]
    return [r["text"] for r in records], np.array([r["vector"] for r in records], np.float32)


def write_table(path: Path, texts: list[str], column: str = "text") -> Path:
    if path.suffix in (".csv", ".tsv"):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="," if path.suffix == ".csv" else "\t")
            writer.writerow(["id", column])
            writer.writerows(enumerate(texts))
    elif path.suffix in (".jsonl", ".ndjson"):
        lines = [json.dumps({"id": i, column: text}) for i, text in enumerate(texts)]
        path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    elif path.suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"id": range(len(texts)), column: texts}), path)
    else:
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


KINDS = [".txt", ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_in_gives_the_same_vectors(tmp_path, sfbow, expected, kind):
    source = write_table(tmp_path / f"texts{kind}", TEXTS)
    texts, vectors = rows_of(succeeded(sfbow("encode", source)).stdout)
    assert texts == TEXTS
    np.testing.assert_array_equal(vectors, expected)


def test_every_format_out_has_the_same_vectors(tmp_path, sfbow, expected):
    source = write_table(tmp_path / "texts.txt", TEXTS)
    for name in ("x.npy", "x.jsonl", "x.parquet"):
        if name == "x.parquet":
            pytest.importorskip("pyarrow")
        assert succeeded(sfbow("encode", source, "-o", tmp_path / name)).stdout == ""
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy", mmap_mode="r"), expected)
    texts, vectors = rows_of((tmp_path / "x.jsonl").read_text("utf-8"))
    assert texts == TEXTS
    np.testing.assert_array_equal(vectors, expected)
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "x.parquet")
    assert table.column("text").to_pylist() == TEXTS
    np.testing.assert_array_equal(np.array(table.column("vector").to_pylist(), "f4"), expected)


def test_streams_of_many_batches_keep_their_order(tmp_path, sfbow, model):
    texts = [WORDS[i % len(WORDS)] + " " * (i % 3) for i in range(30_000)]
    source = write_table(tmp_path / "texts.txt", texts)
    succeeded(sfbow("encode", source, "-o", tmp_path / "x.npy", "--threads", "3"))
    np.testing.assert_array_equal(
        np.load(tmp_path / "x.npy"), SFBoW.from_pretrained(model).encode(texts)
    )


def test_formats_can_be_named_and_files_be_streams(tmp_path, sfbow, expected):
    data = write_table(tmp_path / "t.csv", TEXTS, "body").read_bytes()
    done = succeeded(sfbow("encode", "-", "--from", "csv", "-c", "body", data=data))
    np.testing.assert_array_equal(rows_of(done.stdout)[1], expected)
    succeeded(sfbow("encode", "--to", "npy", "-o", tmp_path / "x.bin", data="\n".join(TEXTS)))
    np.testing.assert_array_equal(np.load(tmp_path / "x.bin"), expected)


@pytest.mark.parametrize("kind", [".txt", ".csv", ".jsonl", ".parquet"])
def test_nothing_in_gives_a_valid_file(tmp_path, sfbow, kind):
    empty = tmp_path / f"empty{kind}"
    empty.touch()
    for name in ("x.npy", "x.jsonl", "x.parquet"):
        succeeded(sfbow("encode", empty, "-o", tmp_path / name))
    assert np.load(tmp_path / "x.npy").shape == (0, 8)
    assert (tmp_path / "x.jsonl").read_bytes() == b""
    from pyarrow import parquet

    assert parquet.read_table(tmp_path / "x.parquet").num_rows == 0


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"\xef\xbb\xbfthe\r\nman", ["the", "man"]),
        (b"\xef\xbb\xbf", []),
        (b"\n", [""]),
        (b"the\0man\n\x85\n", None),
        ("the\u2028man\x0ba\rguitar\n".encode(), ["the\u2028man\x0ba\rguitar"]),
    ],
)
def test_what_ends_a_line(sfbow, data, texts):
    done = sfbow("encode", data=data)
    if texts is None:
        assert fault(done).startswith("standard input, line 2: expected UTF-8, found the byte 0x85")
    else:
        assert rows_of(succeeded(done).stdout)[0] == texts


def test_bytes_that_are_no_utf8_can_be_replaced(sfbow):
    done = succeeded(sfbow("encode", "--errors", "replace", data=b"the man\n\xff\xfe man\n"))
    assert rows_of(done.stdout)[0] == ["the man", "\ufffd\ufffd man"]


def test_a_huge_line(sfbow):
    done = succeeded(sfbow("encode", data=b"guitar music " * 1_000_000))
    assert rows_of(done.stdout)[1].any()


def test_a_huge_field_of_csv(tmp_path, sfbow):
    source = write_table(tmp_path / "t.csv", ["guitar " * 100_000])
    assert len(rows_of(succeeded(sfbow("encode", source)).stdout)[1]) == 1


def test_half_a_surrogate_pair_is_written_as_it_can_be(tmp_path, sfbow):
    data = b'{"text": "the \\ud800 man"}\n'
    done = succeeded(sfbow("encode", "--from", "jsonl", data=data))
    assert rows_of(done.stdout)[0] == ["the \ud800 man"]
    done = sfbow("encode", "--from", "jsonl", "-o", tmp_path / "x.parquet", data=data)
    succeeded(done)


HOSTILE = {
    "t.csv": [
        (b"id,text\n1,a,b\n", "line 2: expected 2 fields, as in the header, found 3"),
        (b"id,text\n1\n", "line 2: expected 2 fields"),
        (b'id,text\n1,"open\n2,b\n', "line 3: expected CSV with a header, found unexpected end"),
        (b"id,Text\n1,a\n", "expected one column 'text', found 'id', 'Text'"),
        (b"text,text\n1,a\n", "expected one column 'text', found 'text', 'text'"),
        (b"id,text\n1,a\n2,\xe9\n", "line 3: expected UTF-8, found the byte 0xe9 at its byte 3"),
        (b"id,text\n1,a\rb\n", "line 2: expected CSV"),
    ],
    "t.jsonl": [
        (b'{"text": "a"}\nnope\n', "line 2: expected a JSON object, found a fault in column 1"),
        (b"[1]\n", "line 1: expected a JSON object, found a list"),
        (b'{"txt": "a"}\n', "line 1: expected a text under 'text', found 'txt' only"),
        (b'{"text": null}\n', "line 1: expected a text under 'text', found null"),
        (b'{"text": 1}\n', "line 1: expected a text under 'text', found a number"),
        (b"{}\n", "line 1: expected a text under 'text', found no column only"),
        (b"[" * 100_000 + b"\n", "line 1: expected a JSON object, found"),
        (b"\xff\n", "line 1: expected UTF-8"),
    ],
    "t.parquet": [
        (b"PAR1", "expected a whole Parquet file"),
        (b"no parquet at all" * 10, "expected a whole Parquet file"),
    ],
}


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [(name, data, message) for name, cases in HOSTILE.items() for data, message in cases],
)
def test_hostile_tables(tmp_path, sfbow, name, data, message):
    (tmp_path / name).write_bytes(data)
    out = tmp_path / "x.npy"
    assert message in fault(sfbow("encode", tmp_path / name, "-o", out))
    assert not out.exists()
    assert not list(tmp_path.glob(".*"))


def test_hostile_parquet(tmp_path, sfbow):
    whole = write_table(tmp_path / "t.parquet", TEXTS * 1000).read_bytes()
    footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for name, data in {
        "half": whole[: len(whole) // 2],
        "torn": whole[:4] + b"\xff" * (footer - 4) + whole[footer:],
    }.items():
        broken = tmp_path / f"{name}.parquet"
        broken.write_bytes(data)
        assert "expected a whole Parquet file" in fault(sfbow("encode", broken))
    assert "expected one column 'x', found 'id', 'text'" in fault(
        sfbow("encode", tmp_path / "t.parquet", "-c", "x")
    )
    assert "expected a column of strings, found int64" in fault(
        sfbow("encode", tmp_path / "t.parquet", "-c", "id")
    )


def test_parquet_with_nulls_and_dictionaries(tmp_path, sfbow):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    column = pyarrow.array(["the man", None, "music"]).dictionary_encode()
    parquet.write_table(pyarrow.table({"text": column}), tmp_path / "t.parquet")
    texts, _ = rows_of(succeeded(sfbow("encode", tmp_path / "t.parquet")).stdout)
    assert texts == ["the man", "", "music"]


def test_parquet_without_its_extra(tmp_path, sfbow, monkeypatch):
    source = write_table(tmp_path / "t.parquet", TEXTS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install 'sfbow[arrow]'" in fault(sfbow("encode", source))
    assert "pip install 'sfbow[arrow]'" in fault(sfbow("encode", "-o", tmp_path / "x.parquet"))
    assert not (tmp_path / "x.parquet").exists()


def test_files_that_are_none(tmp_path, sfbow):
    assert fault(sfbow("encode", tmp_path)) == f"{tmp_path}: is a directory"
    assert fault(sfbow("encode", "-o", tmp_path, "--to", "npy")) == f"{tmp_path}: is a directory"
    nowhere = tmp_path / "no" / "x.npy"
    assert fault(sfbow("encode", "-o", nowhere)) == f"{nowhere}: no such file or directory"
    too_long = tmp_path / ("x" * 300 + ".npy")
    assert fault(sfbow("encode", "-o", too_long)).endswith(": file name too long")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(sfbow):
    done = sfbow("encode", "-o", "/dev/full", "--to", "jsonl", data="music\n" * 1000)
    assert fault(done) == "/dev/full: no space left on device"
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_a_device_is_not_replaced(sfbow):
    succeeded(sfbow("encode", "-o", os.devnull, "--to", "jsonl", data="music\n"))
    assert Path(os.devnull).is_char_device()


def test_existing_output_is_replaced_when_the_new_is_whole(tmp_path, sfbow):
    out, link = tmp_path / "x.jsonl", tmp_path / "link.jsonl"
    out.write_text("old")
    link.symlink_to(out)
    fault(sfbow("encode", "-o", link, data=b"music\n\xff"))
    assert out.read_text() == "old"
    succeeded(sfbow("encode", "-o", link, data=b"music\n"))
    assert link.is_symlink()
    assert rows_of(out.read_text())[0] == ["music"]


def test_a_file_can_be_its_own_output(tmp_path, sfbow):
    table = write_table(tmp_path / "t.jsonl", TEXTS)
    succeeded(sfbow("encode", table, "-o", table))
    assert rows_of(table.read_text())[0] == TEXTS


def test_misuse_of_encode(sfbow):
    assert "--column is for tables" in misuse(sfbow("encode", "--column", "x"))
    assert "--to npy needs a file" in misuse(sfbow("encode", "--to", "npy"))
    assert "name the output .npy" in misuse(sfbow("encode", "-o", "x.txt"))


def test_texts_without_a_known_word_are_counted(sfbow):
    done = succeeded(sfbow("encode", data="xyzzy\n\nmusic\nplugh\n"))
    assert done.stderr == (
        "sfbow: warning: no known word in 2 of 4 texts: their vectors are zero\n"
    )


def test_two_texts(sfbow, model):
    encoder = SFBoW.from_pretrained(model)
    a, b = encoder.encode(["the man plays", "a woman plays music"])
    done = succeeded(sfbow("similar", "the man plays", "a woman plays music"))
    assert float(done.stdout) == pytest.approx(encoder.similarity(a, b).item(), abs=1e-6)
    other = succeeded(sfbow("similar", "the man plays", "a woman plays music", "--measure", "dice"))
    assert other.stdout != done.stdout
    assert succeeded(sfbow("similar", "music", "Music!")).stdout == "1.000000\n"


def test_texts_that_look_like_options(sfbow):
    assert succeeded(sfbow("similar", "--", "--music", "-music")).stdout == "1.000000\n"


def test_an_unknown_text_is_similar_to_nothing(sfbow):
    done = succeeded(sfbow("similar", "xyzzy", "music"))
    assert done.stdout == "0.000000\n"
    assert done.stderr == (
        "sfbow: warning: no known word in 1 of 2 texts: they are similar to nothing\n"
    )


def test_pairs(tmp_path, sfbow):
    pairs = [("the man", "a woman"), ("music", "music"), ("café", "guitar")] * 6000
    data = "".join(f"{a}\t{b}\r\n" for a, b in pairs)
    lines = succeeded(sfbow("similar", "--pairs", "-", data=data)).stdout.splitlines()
    assert [tuple(line.split("\t")[1:]) for line in lines] == pairs
    assert lines[1].startswith("1.000000\t")
    assert lines[0] == succeeded(sfbow("similar", *pairs[0])).stdout.strip() + "\tthe man\ta woman"
    source = tmp_path / "pairs.jsonl"
    source.write_text("".join(json.dumps({"a": a, "b": b, "c": 1}) + "\n" for a, b in pairs))
    done = succeeded(sfbow("similar", "-p", source, "-f", "jsonl"))
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(record["a"], record["b"]) for record in records] == pairs
    assert [f"{record['similarity']:.6f}" for record in records] == [
        line.split("\t")[0] for line in lines
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"one text\n", "line 1: expected two texts with a tab between, found no tab"),
        (b"a\tb\na\tb\tc\n", "line 2: expected two texts with a tab between, found 2 tabs"),
        (b"\n", "line 1: expected two texts"),
        (b"a\t\xff\n", "line 1: expected UTF-8"),
    ],
)
def test_hostile_pairs(sfbow, data, message):
    assert message in fault(sfbow("similar", "--pairs", "-", data=data))


def test_no_pairs_and_misuse(tmp_path, sfbow):
    assert succeeded(sfbow("similar", "--pairs", "-")).stdout == ""
    for arguments in (["a"], ["a", "b", "c"], ["a", "b", "--pairs", "-"], ["a", "--pairs", "-"]):
        assert "give two texts" in misuse(sfbow("similar", *arguments))
    source = tmp_path / "x.jsonl"
    source.write_text('{"a": "music"}\n')
    assert "expected a text under 'b', found 'a' only" in fault(sfbow("similar", "-p", source))
