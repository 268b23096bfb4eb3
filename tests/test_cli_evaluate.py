"""`sfbow evaluate`, and how evaluations are written."""

import csv
import io
import json

import numpy as np
import pytest
from click.testing import CliRunner
from test_cli_encode import make_model
from test_evaluation_pairs import SICK_HEADER, sts  # noqa: F401 - a fixture

from sfbow.cli import cli

ROWS = "the cat\tthe dog\t4\nthe cat\tsat\t1\nthe dog\tCat\t3\nI\tthe\t0\nI café\tI\t4.5\n"


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "own.tsv"
    path.write_text(ROWS, "utf-8")
    return str(path)


@pytest.fixture
def models(tmp_path):
    return [make_model(tmp_path / name) for name in ("first", "second")]


def run(*arguments):
    return CliRunner().invoke(cli, ["evaluate", *map(str, arguments)])


def succeed(*arguments) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_model_in_sfbow_is_the_default(pairs):
    lines = succeed("--pairs", pairs).splitlines()
    assert lines[0] == "own.tsv, 5 pairs, correlation ×100"
    assert lines[2].split() == ["model", "correlation", "school", "own.tsv"]
    assert [line.split()[:3] for line in lines[3:9]] == [
        ["embedded", correlation, school]
        for correlation in ("spearman", "pearson")
        for school in ("mean", "weighted", "all")
    ]
    assert lines[-2].split("  ")[0] == "model"
    assert lines[-1].startswith("embedded")


def test_schools_and_correlations_may_be_chosen(pairs):
    out = succeed("--pairs", pairs, "--school", "all", "--correlation", "pearson")
    assert [line.split()[:3] for line in out.splitlines()[3:4]] == [["embedded", "pearson", "all"]]
    assert "spearman" not in out


def test_sick(tmp_path):
    for name in ("train", "trial"):
        rows = "".join(f"{n}\ta dog {n}\ta cat\t{n}\tNEUTRAL\n" for n in range(1, 4))
        (tmp_path / f"SICK_{name}.txt").write_text(SICK_HEADER + rows, "utf-8")
    assert succeed("--sick", tmp_path).startswith("SICK, 6 pairs")


def test_sts(sts):  # noqa: F811
    lines = succeed("--data", sts, "--details").splitlines()
    header = lines[2].split("  ")
    assert [cell.strip() for cell in header if cell][-2:] == ["average ± sd", "paper's average"]
    assert any(line.split()[:3] == ["STS16", "postediting", "2"] for line in lines)
    out = succeed("--data", sts, "--edition", "STS16", "--edition", "STS13")
    assert out.splitlines()[2].split()[3:5] == ["STS13", "STS16"]


def test_markdown(pairs, models):
    lines = succeed("--pairs", pairs, "-m", models[0], "-f", "markdown").splitlines()
    assert lines[:4] == [
        "own.tsv, 5 pairs, correlation ×100:",
        "",
        "| model | correlation | school | own.tsv |",
        "| --- | --- | --- | ---: |",
    ]
    assert all(line.count("|") == 5 for line in lines[2:10])


def test_csv(sts):  # noqa: F811
    out = succeed("--data", sts, "--format", "csv", "--bootstrap", 5)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 2 * (3 * 7 + 24)
    assert {row["benchmark"] for row in rows} == {"STS"}
    (average,) = (
        row
        for row in rows
        if (row["edition"], row["school"], row["correlation"]) == ("average", "all", "spearman")
    )
    assert average["pairs"] == "48"
    # "a b", "e f": nothing the embedded model knows; what is undefined is empty.
    assert average.keys() >= {"score", "deviation", "low", "high"}


def test_json(pairs, models):
    out = succeed("--pairs", pairs, "-m", models[0], "-m", models[1], "--compare", "-f", "json",
                  "--bootstrap", 20, "--seed", 3)  # fmt: skip
    content = json.loads(out)
    assert (content["benchmark"], content["pairs"]) == ("own.tsv", 5)
    assert [model["model"] for model in content["models"]] == models
    assert content["models"][0]["texts"] == 7
    assert content["bootstrap"] == {"level": 0.95, "resamples": 20, "seed": 3}
    scores = [row for row in content["scores"] if row.get("school") == "mean"]
    assert len(scores) == 4
    assert all(row["low"] <= row["high"] for row in scores if row["low"] is not None)
    assert {row["p_value"] for row in content["comparisons"]} == {1.0}


def test_intervals_and_a_comparison_as_tables(pairs, models):
    out = succeed("--pairs", pairs, "-m", models[0], "-m", models[1], "--compare")
    assert "95% intervals of 1,000 resamples" in out
    assert f"Difference to {models[0]}, ×100, paired bootstrap" in out
    assert "+0.00 to +0.00  1.0000" in out


def test_what_is_undefined_is_a_dash(tmp_path):
    path = tmp_path / "same.tsv"
    path.write_text("a dog\ta dog\t1\na cat\ta cat\t2\n", "utf-8")
    lines = succeed("--pairs", path, "--bootstrap", 3).splitlines()
    assert lines[3].split() == ["embedded", "spearman", "mean", "–"]
    assert lines[4].split() == ["–"]
    scores = json.loads(succeed("--pairs", path, "-f", "json"))["scores"]
    assert {row["score"] for row in scores} == {None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--compare"], "--compare needs two models"),
        (["--compare", "-m", "a", "-m", "b", "-f", "csv"], "--compare is for"),
        (["--sick", "a", "--pairs", "b"], "give one of --data, --sick and --pairs"),
        (["--data", "a", "--sick", "b"], "give one of --data, --sick and --pairs"),
        (["--edition", "STS12", "--sick", "b"], "--edition is for STS"),
        (["--edition", "STS17"], "'STS17' is not one of"),
        (["--school", "none"], "'none' is not one of"),
    ],
)
def test_commands_written_wrongly(arguments, message):
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.stderr


def test_no_data_is_one_line_that_tells_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    done = run()
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"sfbow: {tmp_path / 'sfbow' / 'sts'}: expected the folders STS12-en")
    assert "--data DIR" in line


def test_broken_data_is_one_line(pairs, tmp_path):
    (tmp_path / "own.tsv").write_text(ROWS + "a\tb\n", "utf-8")
    done = run("--pairs", pairs)
    assert done.exit_code == 1
    assert done.stderr == (
        f"sfbow: {pairs}, line 6: expected two texts and a score with tabs between, "
        "found 2 columns; correct the line\n"
    )


def test_a_model_that_is_not_there(pairs, tmp_path):
    done = run("--pairs", pairs, "-m", tmp_path / "none")
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1


def test_scores_are_those_of_the_library(pairs):
    from scipy.stats import spearmanr

    from sfbow import SFBoW

    rows = [line.split("\t") for line in ROWS.splitlines()]
    model = SFBoW.from_pretrained()
    found = model.similarity_pairwise(
        model.encode([row[0] for row in rows]), model.encode([row[1] for row in rows])
    )
    expected = spearmanr(found, [float(row[2]) for row in rows]).statistic
    scores = json.loads(succeed("--pairs", pairs, "-f", "json"))["scores"]
    assert np.isclose(scores[0]["score"], expected)
