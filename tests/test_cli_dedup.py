"""`sfbow dedup`: what it keeps is as it was, in every format; hostile input."""

import csv
import io
import json
import os
import signal
import time
from pathlib import Path

import pytest
from test_cli import run, start
from test_cli_encode import HOSTILE, fault, make_model, misuse, succeeded, write_table
from test_cli_encode import sfbow as sfbow

TEXTS = [
    "The man plays the guitar.",
    "a woman, the café",
    "the guitar: the man plays",
    "",
    "xyzzy",
    "a woman — the Café",
    "",
    "music",
    "xyzzy",
]
KEPT = [0, 1, 3, 4, 7]


@pytest.fixture
def model(tmp_path) -> str:
    return make_model(tmp_path / "model")


def lines_of(result) -> list[dict]:
    return [json.loads(line) for line in succeeded(result).stdout.splitlines()]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_kept_as_they_were(tmp_path, sfbow, end):
    source = tmp_path / "texts.txt"
    source.write_bytes(("\ufeff" + end.join(TEXTS)).encode())
    done = succeeded(sfbow("dedup", source))
    assert done.stdout_bytes.decode() == "\ufeff" + "".join(TEXTS[number] + end for number in KEPT)
    assert done.stderr == ""
    piped = succeeded(sfbow("dedup", data=source.read_bytes()))
    assert piped.stdout_bytes == done.stdout_bytes


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_records_are_kept_as_they_were(tmp_path, sfbow, kind):
    texts = [text.replace(", ", ",\n") for text in TEXTS]
    source = write_table(tmp_path / f"t.{kind}", texts)
    whole = source.read_bytes()
    before = [json.loads(line) for line in whole.splitlines() if line] if kind == "jsonl" else []
    done = succeeded(sfbow("dedup", source))
    if kind == "jsonl":
        after = [json.loads(line) for line in done.stdout.splitlines() if line]
        assert after == [before[number] for number in KEPT]
    else:
        delimiter = "," if kind == "csv" else "\t"
        rows = list(
            csv.reader(io.StringIO(done.stdout_bytes.decode(), newline=""), delimiter=delimiter)
        )
        assert rows == [["id", "text"], *([str(number), texts[number]] for number in KEPT)]
        assert all(line in whole for line in done.stdout_bytes.splitlines(keepends=True))
    succeeded(sfbow("dedup", source, "-o", tmp_path / "out"))
    assert (tmp_path / "out").read_bytes() == done.stdout_bytes


def test_csv_as_its_author_quoted_it(sfbow):
    data = b'id,text,"more"\r\n1,"music",\xc3\xa9\r\n\r\n2,guitar,"a ""b""\nc"\n3, music ,x'
    done = succeeded(sfbow("dedup", "--from", "csv", data=data))
    assert done.stdout_bytes == data.removesuffix(b"3, music ,x")


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbfid,text\n", b'"id\n",text\r\n\r\n'])
def test_a_header_alone(sfbow, data):
    assert succeeded(sfbow("dedup", "--from", "csv", data=data)).stdout_bytes == data


def test_a_header_of_several_lines(sfbow):
    data = b'\xef\xbb\xbf"the\nid",text\n1,music\n2,guitar\n3,music\n'
    done = succeeded(sfbow("dedup", "--from", "csv", data=data))
    assert done.stdout_bytes == data.removesuffix(b"3,music\n")


def test_parquet_keeps_its_columns(tmp_path, sfbow):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"id": list(range(9)), "body": TEXTS, "more": [[i] for i in range(9)]}
    table = pyarrow.table(columns)
    source, out = tmp_path / "t.parquet", tmp_path / "out.parquet"
    parquet.write_table(table, source, row_group_size=4)
    succeeded(sfbow("dedup", source, "-c", "body", "-o", out))
    assert parquet.read_table(out).equals(table.take(KEPT))
    assert len(lines_of(sfbow("dedup", source, "-c", "body", "--groups"))) == 4
    succeeded(sfbow("dedup", source, "-c", "body", "-o", source))
    assert parquet.read_table(source).equals(table.take(KEPT))


def test_groups(sfbow):
    groups = lines_of(sfbow("dedup", "--groups", data="\n".join(TEXTS)))
    assert [group["record"] for group in groups] == [1, 2, 4, 5]
    assert groups[0] == {
        "record": 1,
        "text": TEXTS[0],
        "duplicates": [{"record": 3, "similarity": 1.0, "text": TEXTS[2]}],
    }


def test_pairs(sfbow):
    data = "\n".join(TEXTS)
    pairs = lines_of(sfbow("dedup", "--pairs", "--threshold", "1", data=data))
    assert sorted(pair["records"] for pair in pairs) == [[1, 3], [2, 6], [4, 7], [5, 9]]
    for pair in pairs:
        assert [pair["a"], pair["b"]] == [TEXTS[record - 1] for record in pair["records"]]
        assert pair["similarity"] == 1
    more = lines_of(sfbow("dedup", "--pairs", "-t", "0.1", "--measure", "hellinger", data=data))
    assert len(more) > len(pairs)
    assert all(pair["similarity"] >= 0.1 for pair in more)


@pytest.mark.parametrize("options", [[], ["--groups"], ["--pairs"]])
def test_nothing(tmp_path, sfbow, options):
    assert succeeded(sfbow("dedup", *options)).stdout == ""
    empty = tmp_path / "empty.parquet"
    empty.touch()
    assert succeeded(sfbow("dedup", empty, "--groups")).stdout == ""


def test_bytes_that_are_no_utf8(sfbow):
    data = b"music\n\xff\xfe man\nmusic\n"
    assert "standard input, line 2: expected UTF-8" in fault(sfbow("dedup", data=data))
    done = succeeded(sfbow("dedup", "--errors", "replace", data=data))
    assert done.stdout_bytes == b"music\n\xff\xfe man\n"


def test_half_a_surrogate_pair(sfbow):
    data = b'{"text": "the \\ud800 man"}\n{"text": "music"}\n{"text": "the \\ud800 man"}\n'
    done = succeeded(sfbow("dedup", "--from", "jsonl", data=data))
    assert done.stdout_bytes == b"".join(data.splitlines(keepends=True)[:2])
    assert len(lines_of(sfbow("dedup", "--from", "jsonl", "--groups", data=data))) == 1


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [(name, data, message) for name, cases in HOSTILE.items() for data, message in cases],
)
def test_hostile_tables(tmp_path, sfbow, name, data, message):
    (tmp_path / name).write_bytes(data)
    out = tmp_path / "x.out"
    assert message in fault(sfbow("dedup", tmp_path / name, "-o", out))
    assert not out.exists()
    assert not list(tmp_path.glob(".*"))


def test_misuse_of_dedup(tmp_path, sfbow):
    assert "--column is for tables" in misuse(sfbow("dedup", "--column", "x"))
    assert "Parquet needs a file to write to" in misuse(sfbow("dedup", "--from", "parquet"))
    for threshold in ("0", "1.01", "-1", "x"):
        assert "nvalid value for '--threshold'" in misuse(sfbow("dedup", "-t", threshold))
    assert "threshold: expected a number above 0" in fault(sfbow("dedup", "-t", "nan", data="a"))
    assert fault(sfbow("dedup", tmp_path / "no")).endswith("no: no such file or directory")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk(sfbow):
    done = sfbow("dedup", "-o", "/dev/full", data="music\n" * 3)
    assert fault(done) == "/dev/full: no space left on device"


def test_a_broken_pipe_is_silent(tmp_path, model):
    source = tmp_path / "texts.txt"
    source.write_bytes(b"music\n" * 2000)
    process = start("dedup", str(source), "--pairs", "--model", model)
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate()
    assert (process.returncode, errors) == (141, b"")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_leaves_nothing_behind(tmp_path, model):
    source, folder = tmp_path / "texts.txt", tmp_path / "out"
    source.write_bytes(b"music\n" * 100_000)  # whose pairs nobody waits for
    folder.mkdir()
    out = folder / "x.jsonl"
    process = start("dedup", str(source), "--pairs", "--model", model, "-o", str(out))
    deadline = time.monotonic() + 120
    while not any(path.stat().st_size for path in folder.iterdir()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (130, b"sfbow: interrupted\n")
    assert list(folder.iterdir()) == []


def test_the_same_bytes_on_any_number_of_threads(tmp_path, model):
    source = tmp_path / "texts.txt"
    source.write_text("\n".join(f"music {'guitar ' * (i % 7)}man" for i in range(500)))
    one, three = (
        run("dedup", str(source), "--pairs", "--model", model, "--threads", threads)
        for threads in ("1", "3")
    )
    assert one.returncode == three.returncode == 0
    assert one.stdout == three.stdout != b""
