"""The experiment's runner: what is finished stays, what is missing is made, nothing is mixed."""

import json
from pathlib import Path

import numpy as np
import pytest

from sfbow import SFBoW, Universe, WordVectors
from sfbow.errors import OptionError
from sfbow.evaluation import Benchmark, evaluate, read_pairs
from sfbow.experiment.grid import Row, Source, rows_of
from sfbow.experiment.results import read_results
from sfbow.experiment.run import run_experiment
from sfbow.experiment.tables import comparison

WORDS = ["the", "dog", "cat", "runs", "sleeps", "music", "guitar", "plays"]


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "vectors.txt"
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 4))
    lines = [
        f"{word} {' '.join(map(repr, row.tolist()))}" for word, row in zip(WORDS, rows, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return Source("Tiny", path)


@pytest.fixture
def benchmark_pairs(tmp_path) -> Benchmark:
    path = tmp_path / "pairs.tsv"
    path.write_text(
        "the dog runs\tthe cat runs\t4\n"
        "music plays\tthe guitar plays\t5\n"
        "the cat sleeps\tguitar music\t0\n"
        "dog\tthe dog\t3\n"
    )
    return read_pairs(path)


def cell(out: Path, row: str) -> dict:
    return json.loads((out / "cells" / "Tiny" / f"{row}.json").read_text())


def test_a_cell_tells_what_evaluation_tells(source, benchmark_pairs, tmp_path):
    run_experiment([source], benchmark_pairs, tmp_path / "out", only=["identity"])
    found = cell(tmp_path / "out", "identity")
    model = SFBoW.paper(WordVectors.load(source.path), Universe.identity(4))
    edition = evaluate(model, benchmark_pairs).editions[0]
    assert found["scores"][edition.name]["all"]["spearman"] == edition.score("all", "spearman")
    assert found["scores"][edition.name]["mean"]["pearson"] == edition.score("mean", "pearson")
    assert (found["size"], found["failed"]) == (4, None)
    assert found["report"]["kind"] == "identity"
    assert found["sentences_per_second"] > 0


def test_an_undefined_score_is_null(source, tmp_path):
    path = tmp_path / "same.tsv"
    path.write_text("dog\tdog\t1\ncat\tcat\t2\n")
    run_experiment([source], read_pairs(path), tmp_path / "out", only=["identity"])
    assert cell(tmp_path / "out", "identity")["scores"]["same.tsv"]["all"]["spearman"] is None


def test_a_row_that_cannot_be_is_told_and_the_others_go_on(source, benchmark_pairs, tmp_path):
    run_experiment(
        [source], benchmark_pairs, tmp_path / "out", only=["kmeans-english-100", "average"]
    )
    assert "at most the" in cell(tmp_path / "out", "kmeans-english-100")["failed"]
    assert cell(tmp_path / "out", "average")["failed"] is None


def test_all_rows_have_names_of_their_own(source):
    names = [row.name for row in rows_of(source)]
    assert len(names) == len(set(names)) == 43
    extra = {row.name for row in rows_of(Source("Sent2Vec", source.path))} - set(names)
    assert extra == {"sent2vec"}


def test_what_is_finished_is_not_done_again(source, benchmark_pairs, tmp_path):
    out = tmp_path / "out"
    made = []

    def rows(_):
        return tuple(Row(name, 1, lambda s, _, name=name: build(s, name)) for name in "abc")

    def build(source, name):
        made.append(name)
        if name == "b" and made.count("b") == 1:
            raise KeyboardInterrupt
        return SFBoW.paper(source.words, Universe.identity(4)), None

    with pytest.raises(KeyboardInterrupt):
        run_experiment([source], benchmark_pairs, out, rows=rows)
    assert sorted(path.name for path in out.rglob("*.json")) == ["a.json", "run.json"]
    run_experiment([source], benchmark_pairs, out, rows=rows)
    assert made == ["a", "b", "b", "c"]
    assert not list(out.rglob("*.part"))


def test_one_embedding_is_in_memory_at_a_time(source, benchmark_pairs, tmp_path):
    other = Source("Other", source.path)

    def rows(_):
        def build(given, __):
            first, second = ("words" in each.__dict__ for each in (source, other))
            assert not (first if given is other else second)
            return SFBoW.paper(given.words, Universe.identity(4)), None

        return (Row("a", 1, build), Row("b", 1, build))

    run_experiment([source, other], benchmark_pairs, tmp_path / "out", rows=rows)
    assert "words" not in other.__dict__


def test_time_to_go_is_reckoned_from_what_is_done_now(source, benchmark_pairs, tmp_path, capsys):
    out = tmp_path / "out"
    run_experiment([source], benchmark_pairs, out, only=["identity", "average"])
    run_experiment(
        [source], benchmark_pairs, out, only=["identity", "average", "sif"], show_progress_bar=True
    )
    shown = capsys.readouterr().err
    assert " 67%|" in shown.split("\r")[1]
    assert "100%|" in shown
    assert "Tiny sif" in shown
    assert "Tiny average" not in shown


def test_speed_is_of_models_that_have_vectors(source, benchmark_pairs, tmp_path):
    run_experiment(
        [source], benchmark_pairs, tmp_path / "out", only=["sif", "bag-of-words", "dynamax"]
    )
    speeds = {
        row: cell(tmp_path / "out", row)["sentences_per_second"]
        for row in ("sif", "bag-of-words", "dynamax")
    }
    assert speeds["sif"] > 0
    assert speeds["bag-of-words"] > 0
    assert speeds["dynamax"] is None


def test_a_row_of_ones_own(source, benchmark_pairs, tmp_path):
    class Lengths:
        def encode(self, sentences):
            return np.array([[len(text)] for text in sentences])

        def similarity_pairwise(self, a, b):
            return -abs(a - b)[:, 0]

    run_experiment(
        [source],
        benchmark_pairs,
        tmp_path / "out",
        only=["identity", "lengths", "own"],
        rows=lambda each: (
            *rows_of(each),
            Row("own", 1, lambda source, _: (SFBoW(source.words, Universe.identity(4)), None)),
        ),
        others=[Row("lengths", 1, lambda *_: (Lengths(), None), "characters")],
    )
    results = read_results(tmp_path / "out")
    assert set(results.cells) == {("Tiny", "identity"), ("Tiny", "own"), ("none", "lengths")}
    rows = comparison(results, "mean").blocks[2]
    assert {("own", "Tiny"), ("lengths", "–")} <= {row.labels for row in rows}


@pytest.mark.parametrize(
    ("names", "rows", "found"),
    [(["A", "A"], [], "A"), (["a", "A"], [], "A"), (["none"], [], "none"), (["A"], ["sif"], "sif"),
     (["A"], ["b", "b"], "b")],
)  # fmt: skip
def test_names_that_two_things_have(source, benchmark_pairs, tmp_path, names, rows, found):
    with pytest.raises(OptionError, match=f"one of its own for each, found '{found}'"):
        run_experiment(
            [Source(name, source.path) for name in names],
            benchmark_pairs,
            tmp_path / "out",
            others=[Row(name, 1, lambda *_: None) for name in rows],
        )
    assert not (tmp_path / "out").exists()


def test_a_pattern_without_rows(source, benchmark_pairs, tmp_path):
    with pytest.raises(OptionError, match="only: expected some of identity, pca-english"):
        run_experiment([source], benchmark_pairs, tmp_path / "out", only=["identiy"])
    assert not (tmp_path / "out").exists()
