"""`sfbow reproduce`: from vectors to tables and figures, stopped and gone on with, and misused."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from test_cli_encode import make_model
from test_evaluation_pairs import sts  # noqa: F401 - a fixture

from sfbow.cli import cli
from sfbow.experiment import run as run_module

pytest.importorskip("matplotlib")


@pytest.fixture
def vectors(tmp_path):
    rows = np.random.default_rng(0).standard_normal((6, 3))
    lines = [
        f"{word} {' '.join(map(repr, row.tolist()))}\n"
        for word, row in zip("abcdef", rows, strict=True)
    ]
    path = tmp_path / "vectors.txt"
    path.write_text("".join(lines), "utf-8")
    return path


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def run(*arguments):
    return CliRunner().invoke(cli, ["reproduce", *map(str, arguments)])


def succeed(*arguments):
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert done.stdout == done.stderr == ""


def test_tables_and_figures(vectors, sts, out, tmp_path):  # noqa: F811
    model = make_model(tmp_path / "model")
    succeed(
        "--glove", vectors, "--vectors", f"Mine={vectors}", "--model", f"saved={model}",
        "--data", sts, "--out", out, "--only", "identity", "--only", "s*", "--seed", 3,
    )  # fmt: skip
    cells = {path.relative_to(out / "cells").as_posix() for path in out.glob("cells/*/*")}
    clusterings = {
        f"{name}/spherical-top50000-{k}.json"
        for name in ("GloVe", "Mine")
        for k in (100, 1000, 10_000, 25_000)
    }
    assert cells == clusterings | {
        "GloVe/identity.json", "Mine/identity.json", "GloVe/sif.json", "Mine/sif.json",
        "none/saved.json",
    }  # fmt: skip
    origin = json.loads((out / "run.json").read_text())
    assert (origin["seed"], origin["made_of"].keys()) == (3, {"GloVe", "Mine", "saved"})
    support = (out / "tables" / "table1-support.md").read_text()
    assert "| STS12 | 10 | 5250 |" in support
    table = (out / "tables" / "table2-comparison.md").read_text()
    assert "| saved | – |" in table
    assert (out / "figures" / "score-size.png").stat().st_size > 1000
    assert (out / "tables" / "complete-mine.tex").exists()


def test_a_finished_folder_is_enough(vectors, sts, out):  # noqa: F811
    succeed("--glove", vectors, "--data", sts, "--out", out, "--only", "identity")
    files = [path for path in out.rglob("*") if path.is_file() and "cells" not in path.parts]
    before = {path: path.read_bytes() for path in files if path.name != "run.json"}
    for path in before:
        path.unlink()
    succeed("--out", out)
    assert {path: path.read_bytes() for path in before} == before
    succeed("--out", out, "--school", "all")
    table = (out / "tables" / "complete-glove.md").read_text()
    assert table.startswith("All universes on GloVe: Spearman's correlation ×100 on STS, all pairs")


def test_what_is_finished_when_the_user_stops(vectors, sts, out, monkeypatch):  # noqa: F811
    make = run_module._cell

    def stopped(source, row, *rest):
        if row.name == "average":
            raise KeyboardInterrupt
        return make(source, row, *rest)

    command = (
        "--glove",
        vectors,
        "--data",
        sts,
        "--out",
        out,
        "--only",
        "identity",
        "--only",
        "a*",
    )
    monkeypatch.setattr(run_module, "_cell", stopped)
    done = run(*command)
    assert (done.exit_code, done.stderr) == (130, "sfbow: interrupted\n")
    identity = out / "cells" / "GloVe" / "identity.json"
    finished = identity.stat().st_mtime_ns
    monkeypatch.undo()
    succeed(*command)
    assert identity.stat().st_mtime_ns == finished
    assert (out / "cells" / "GloVe" / "average.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vectors", "x"], "--vectors: expected NAME=…, found 'x'"),
        (["--vectors", "a/b=x"], "--vectors: expected NAME=…, found 'a/b=x'"),
        (["--model", "=x"], "--model: expected NAME=…, found '=x'"),
        (["--only", "identity"], "--only needs vectors or models"),
    ],
)
def test_commands_written_wrongly(arguments, message, out):
    done = run(*arguments, "--out", out)
    assert done.exit_code == 2
    assert message in done.stderr
    assert not out.exists()


def test_inputs_at_fault_are_one_line(vectors, sts, out, tmp_path):  # noqa: F811
    (tmp_path / "no-vectors.txt").write_text("nothing of that kind\n")

    def fault(*arguments):
        done = run("--out", out, *arguments)
        assert done.exit_code == 1
        (line,) = done.stderr.splitlines()
        return line

    data = ("--data", sts)
    assert fault("--glove", vectors, "--data", tmp_path).endswith(f"give {sts}")
    assert "no such file" in fault("--glove", tmp_path / "none", *data)
    assert "expected a word and" in fault("--glove", tmp_path / "no-vectors.txt", *data)
    # Before anything is computed.
    assert "expected a sent2vec model" in fault("--sent2vec", vectors, *data)
    assert not list(out.glob("cells/*/*"))
    assert "only: expected some of identity" in fault("--glove", vectors, *data, "--only", "x")
    named = ("--glove", vectors, "--vectors", f"glove={vectors}")
    assert "one of its own for each, found 'glove'" in fault(*named, *data)
    assert "found no run.json" in fault("--out", tmp_path / "nowhere")
    succeed("--glove", vectors, *data, "--out", out, "--only", "identity")  # what was wrong is gone
