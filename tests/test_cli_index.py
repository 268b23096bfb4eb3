"""`sfbow index` and `sfbow search`: files in, hits out, and again after an interruption."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_cli import environment, start
from test_cli_encode import TEXTS, fault, make_model, misuse, succeeded, write_table

from sfbow import FuzzyIndex, SFBoW
from sfbow.cli import cli

KINDS = [".txt", ".csv", ".tsv", ".jsonl", ".parquet"]


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("os.fsync", lambda descriptor: None)  # which is slow


@pytest.fixture
def model(tmp_path) -> str:
    return make_model(tmp_path / "model")


@pytest.fixture
def folder(tmp_path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def sfbow(folder, model):
    def run(*arguments: str | Path, data: bytes | str = b"") -> Result:
        name, *others = map(str, arguments)
        given = [name, "-o", str(folder)] if name == "index" else [name, str(folder)]
        if not (folder / "config.json").exists():
            given += ["--model", model]
        return CliRunner().invoke(cli, [*given, *others], input=data)

    return run


def rows(folder: Path) -> dict:
    """The texts and payloads of an index by their ids."""
    index = FuzzyIndex.open(folder)
    assert index.verify() == []
    numbers = range(sum(len(live.segment) for live in index._snapshot.segments))
    places = [index._snapshot.place(n) for n in numbers]
    found = {
        segment.id(row): (segment.text(row), segment.payload_of(row)) for segment, row in places
    }
    return {one: found[one] for one in index}


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_same_index(tmp_path, sfbow, folder, kind):
    source = write_table(tmp_path / f"texts{kind}", TEXTS)
    options = [] if kind == ".txt" else ["--id", "id"]
    done = succeeded(sfbow("index", source, *options))
    assert "rows     5\n" in done.stdout
    ids = {".txt": [f"{source}:{n}" for n in range(1, 6)], ".jsonl": range(5),
           ".parquet": range(5)}.get(kind, map(str, range(5)))  # fmt: skip
    assert rows(folder) == {one: (text, None) for one, text in zip(ids, TEXTS, strict=True)}


@pytest.mark.parametrize("kind", [".csv", ".jsonl", ".parquet"])
def test_payload(tmp_path, sfbow, folder, kind):
    source = write_table(tmp_path / f"t{kind}", TEXTS, "body")
    succeeded(sfbow("index", source, "--text", "body", "--payload", "id", "--payload", "body"))
    expected = [
        {"id": str(n) if kind == ".csv" else n, "body": text} for n, text in enumerate(TEXTS)
    ]
    assert [payload for _, payload in rows(folder).values()] == expected


def test_several_files_and_additions(tmp_path, sfbow, folder):
    a = write_table(tmp_path / "a.txt", ["the man", "the woman"])
    b = write_table(tmp_path / "b.txt", ["music"])
    succeeded(sfbow("index", a, b))
    assert list(rows(folder)) == [f"{a}:1", f"{a}:2", f"{b}:1"]
    a.write_text("the man\na guitar\ncafé\n", encoding="utf-8")
    manifest = FuzzyIndex.open(folder)._snapshot.manifest
    succeeded(sfbow("index", b))
    assert FuzzyIndex.open(folder)._snapshot.manifest == manifest, "nothing is indexed twice"
    succeeded(sfbow("index", a))
    assert list(rows(folder)) == [f"{a}:1", f"{b}:1", f"{a}:2", f"{a}:3"]
    assert rows(folder)[f"{a}:2"] == ("a guitar", None)


def test_standard_input_goes_on_where_it_was(sfbow, folder):
    succeeded(sfbow("index", "-", data="the man\nmusic\n"))
    succeeded(sfbow("index", "-", data="the man\n"))
    assert [text for text, _ in rows(folder).values()] == ["the man", "music", "the man"]
    assert list(rows(folder)) == ["-:1", "-:2", "-:3"]
    data = '{"text": "a", "n": "x"}\n{"text": "b", "n": "-:1"}\n'
    succeeded(sfbow("index", "-", "--from", "jsonl", "--id", "n", data=data))
    assert list(rows(folder)) == ["-:2", "-:3", "x", "-:1"]


def test_settings_of_a_new_index(tmp_path, sfbow, folder):
    source = write_table(tmp_path / "a.txt", TEXTS)
    succeeded(sfbow("index", source, "--storage", "4-bit", "--measure", "jaccard"))
    index = FuzzyIndex.open(folder)
    assert (index.storage, index.measure) == ("4-bit", "jaccard")
    succeeded(sfbow("index", source, "--storage", "4-bit", "--measure", "jaccard"))
    assert "expected --storage 4-bit, as the index has, found 8-bit" in fault(
        sfbow("index", source, "--storage", "8-bit")
    )
    assert "expected --measure jaccard" in fault(sfbow("index", source, "--measure", "dice"))


def test_looking_after_an_index(tmp_path, sfbow, folder):
    source = write_table(tmp_path / "t.jsonl", TEXTS * 4)
    succeeded(sfbow("index", source, "--id", "id"))
    succeeded(sfbow("index", "--remove", "3", "--remove", "4"))
    assert "ids: expected ids of the index, found 3" in fault(sfbow("index", "--remove", "3"))
    assert "expected whole numbers, as the index has, found 'x'" in fault(
        sfbow("index", "--remove", "x")
    )
    assert len(rows(folder)) == 18
    before = sum(file.stat().st_size for file in folder.iterdir())
    done = succeeded(sfbow("index", "--vacuum", "--verify"))
    assert "verified  all files are sound" in done.stdout
    assert sum(file.stat().st_size for file in folder.iterdir()) < before
    assert len(rows(folder)) == 18


def test_damage(tmp_path, sfbow, folder):
    source = write_table(tmp_path / "a.txt", TEXTS)
    succeeded(sfbow("index", source))
    file = next(folder.glob("segment-*"))
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    done = sfbow("index", "--verify")
    assert f"{file.name}: expected the SHA-256" in fault(done)
    assert "some files are damaged" in done.stdout
    done = succeeded(sfbow("index", "--repair"))
    assert done.stdout.startswith("given up")
    assert "rows      0" in done.stdout
    succeeded(sfbow("index", source, "--verify"))
    assert len(rows(folder)) == 5


def test_a_graph(tmp_path, sfbow, folder):
    pytest.importorskip("usearch")
    source = write_table(tmp_path / "a.txt", [text for text in TEXTS if text.strip()])
    succeeded(sfbow("index", source))
    assert "make one with build_graph() or 'sfbow index --graph'" in fault(
        sfbow("index", "--check")
    )
    assert (
        "recall@10  1.0000 of the graph" in succeeded(sfbow("index", "--graph", "--check")).stdout
    )
    exact = succeeded(sfbow("search", "the man", "-f", "jsonl")).stdout
    assert succeeded(sfbow("search", "the man", "-f", "jsonl", "--approximate")).stdout == exact


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("t.csv", b"id,text\n1,a\n2\n", "line 3: expected 2 fields"),
        ("t.csv", b"key,text\n1,a\n", "expected one column 'id', found 'key', 'text'"),
        (
            "t.jsonl",
            b'{"text": "a", "id": null}\n',
            "a text or a whole number under 'id', found null",
        ),
        ("t.jsonl", b'{"text": "a", "id": true}\n', "under 'id', found a truth value"),
        ("t.jsonl", b'{"text": "a", "id": 1.5}\n', "under 'id', found a number"),
        ("t.jsonl", b'{"text": "a"}\n', "under 'id', found 'text' only"),
        ("t.jsonl", b'{"text": "a", "id": 1}\n{"text": "b", "id": "x"}\n', "found 'x' at place 1"),
        ("t.jsonl", b'{"text": 1, "id": 1}\n', "line 1: expected a text under 'text'"),
        ("t.jsonl", b'{"text": "a", "id": %d}\n' % 2**64, "expected numbers of 64 bits"),
        ("t.csv", b"id,text\n1,\xff\n", "line 2: expected UTF-8"),
        ("t.parquet", b"PAR1", "expected a whole Parquet file"),
    ],
)
def test_hostile_tables(tmp_path, sfbow, folder, name, data, message):
    (tmp_path / name).write_bytes(data)
    assert message in fault(sfbow("index", tmp_path / name, "--id", "id"))
    assert rows(folder) == {}


def test_parquet_ids(tmp_path, sfbow):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = pyarrow.table({"text": ["a", "b"], "id": [1.5, 2.5], "when": [1, None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    assert "expected texts or whole numbers under 'id', found a number" in fault(
        sfbow("index", tmp_path / "t.parquet", "--id", "id")
    )
    succeeded(sfbow("index", tmp_path / "t.parquet", "--id", "text", "--payload", "when"))
    days = pyarrow.table({"text": ["a"], "id": pyarrow.array([1], pyarrow.date32())})
    parquet.write_table(days, tmp_path / "days.parquet")
    assert "under 'id', found a date; choose another column" in fault(
        sfbow("index", tmp_path / "days.parquet", "--id", "id")
    )


def test_misuse(tmp_path, sfbow, folder, model):
    assert "give a FILE" in misuse(sfbow("index"))
    for option in ("--text", "--id", "--payload"):
        assert "columns are of tables" in misuse(sfbow("index", "-", option, "x"))
    assert "no such folder" in fault(sfbow("index", "--verify"))
    assert "no such folder" in fault(sfbow("search", "x"))
    assert "no such file" in fault(sfbow("index", tmp_path / "none.txt"))
    (tmp_path / "words").mkdir()
    done = CliRunner().invoke(cli, ["index", str(tmp_path / "none"), "-o", model])
    assert "found 'sfbow model'; give a folder of that format" in fault(done)
    done = CliRunner().invoke(cli, ["search", model, "x"])
    assert "found 'sfbow model'" in fault(done)


def test_another_writer(tmp_path, sfbow, folder):
    source = write_table(tmp_path / "a.txt", TEXTS)
    succeeded(sfbow("index", source))
    with FuzzyIndex.open(folder, writable=True):
        assert "somebody else is writing there" in fault(sfbow("index", source))
        succeeded(sfbow("index", "--verify"))
        succeeded(sfbow("search", "man"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_same_command_goes_on_after_an_interruption(tmp_path, model, folder, number):
    script = (
        "import sys; import sfbow.cli.index as i; i._BATCH = 50; from sfbow.cli import main; main()"
    )
    texts = [f"the man {n}" for n in range(400)]
    source = write_table(tmp_path / "a.txt", texts)
    fifo = tmp_path / "pipe.txt"
    os.mkfifo(fifo)
    arguments = ["index", str(fifo), "-o", str(folder), "--model", model]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments], env=environment(), stderr=subprocess.PIPE
    )
    with fifo.open("wb", buffering=0) as pipe:
        pipe.write("".join(f"{text}\n" for text in texts[:230]).encode())
        deadline = time.monotonic() + 60
        while not (folder / "config.json").exists() or len(FuzzyIndex.open(folder)) < 150:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        process.communicate()
    before = rows(folder)
    assert 150 <= len(before) < 400
    fifo.unlink()
    source.rename(fifo)
    done = CliRunner().invoke(cli, ["index", str(fifo), "-o", str(folder)])
    succeeded(done)
    assert list(rows(folder)) == [f"{fifo}:{n}" for n in range(1, 401)]
    assert FuzzyIndex.open(folder).inserted == 400, "nothing is indexed twice"


# Search


@pytest.fixture
def indexed(tmp_path, sfbow, folder):
    texts = ["the man plays the guitar", "a woman plays music", "café", "", "x\x1b[31m\ty"]
    data = "".join(json.dumps({"text": t, "id": f"n{n}"}) + "\n" for n, t in enumerate(texts))
    succeeded(sfbow("index", "-", "--from", "jsonl", "--id", "id", "--payload", "id", data=data))
    return sfbow


def test_one_query(indexed):
    done = succeeded(indexed("search", "The man plays", "-k", "2"))
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0].endswith("  n0  the man plays the guitar")
    assert float(lines[0].split()[0]) > float(lines[1].split()[0]) > 0
    assert done.stderr == ""


def test_queries_of_standard_input_and_of_a_file(tmp_path, indexed):
    queries = write_table(tmp_path / "q.txt", ["music", "nothing known", "the man"])
    done = succeeded(indexed("search", "-q", queries, "-k", "1"))
    assert [line for line in done.stdout.splitlines() if line[:2] != "0."] == [
        "music", "nothing known", "the man",
    ]  # fmt: skip
    piped = succeeded(indexed("search", "-k", "1", data=queries.read_bytes()))
    assert piped.stdout == done.stdout
    assert succeeded(indexed("search")).stdout == ""


def test_jsonl(indexed, folder):
    done = succeeded(indexed("search", "-f", "jsonl", "--explain", data="the man plays\nxyzzy\n"))
    first, second = [json.loads(line) for line in done.stdout.splitlines()]
    assert second == {"query": "xyzzy", "hits": []}
    index = FuzzyIndex.open(folder)
    (hits,) = index.search("the man plays")
    assert [record["id"] for record in first["hits"]] == [hit.id for hit in hits]
    assert [record["score"] for record in first["hits"]] == [round(hit.score, 6) for hit in hits]
    assert first["hits"][0]["payload"] == {"id": "n0"}
    pairs = index.model.explain("the man plays", hits[0].text).best_pairs(5)
    assert first["hits"][0]["words"] == [pair._asdict() for pair in pairs]


def test_threshold(indexed):
    assert succeeded(indexed("search", "cafe", "-t", "0.99")).stdout == ""
    assert "café" in succeeded(indexed("search", "café", "-t", "0.99")).stdout


def test_explained(indexed):
    lines = succeeded(indexed("search", "man", "-k", "1", "--explain")).stdout.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("        man~man ")


def test_the_terminal_is_safe(monkeypatch, indexed, tmp_path):
    done = succeeded(indexed("search", "guitar music"))
    assert "\x1b" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    monkeypatch.setattr("sfbow.cli.search.wants_color", lambda: True)
    assert "\x1b[1m" in succeeded(indexed("search", "music")).stdout


def test_misuse_of_search(indexed):
    assert "-k or --threshold" in misuse(indexed("search", "x", "-k", "3", "-t", "0.5"))
    assert "QUERY or --queries" in misuse(indexed("search", "x", "-q", "file"))
    assert "not all above" in misuse(indexed("search", "x", "-t", "0.5", "--approximate"))
    for arguments in (["-k", "0"], ["-t", "0"], ["-t", "1.5"], ["--format", "xml"]):
        misuse(indexed("search", "x", *arguments))


def test_a_model_that_moved(tmp_path, indexed, model):
    (tmp_path / "model").rename(tmp_path / "moved")
    assert "tell where it is" in fault(indexed("search", "music"))
    assert "n1" in succeeded(indexed("search", "music", "--model", tmp_path / "moved")).stdout
    other = make_model(tmp_path / "other")
    SFBoW.from_pretrained(other).quantized().save_pretrained(other)
    assert "expected the model" in fault(indexed("search", "music", "--model", other))


def test_a_broken_pipe_is_silent(tmp_path, folder, indexed):
    queries = write_table(tmp_path / "q.txt", ["music"] * 20_000)
    process = start("search", str(folder), "-q", str(queries))
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate()
    assert (process.returncode, errors) == (141, b"")


def test_info(tmp_path, sfbow, folder):
    source = write_table(tmp_path / "a.txt", TEXTS)
    table = succeeded(sfbow("index", source)).stdout
    assert succeeded(CliRunner().invoke(cli, ["info", str(folder)])).stdout == table
    done = CliRunner().invoke(cli, ["info", str(folder), "-f", "json", "--verify"])
    facts = json.loads(succeeded(done).stdout)
    assert (facts["kind"], facts["rows"], len(facts["verified"])) == ("index", 5, 1)
    done = CliRunner().invoke(cli, ["info", str(folder), "--coverage", str(source)])
    assert "--coverage is for models" in misuse(done)
