"""The experiment's runner: what is finished stays, what is missing is made, nothing is mixed."""

import json
from pathlib import Path

import numpy as np
import pytest

from sfbow import SFBoW, Universe, WordVectors
from sfbow.errors import InputError, OptionError
from sfbow.evaluation import Benchmark, evaluate, read_pairs
from sfbow.experiment import run
from sfbow.experiment.grid import Row, Source, rows_of
from sfbow.experiment.run import run_experiment

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


def test_what_is_finished_is_not_done_again(source, benchmark_pairs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    made = []

    def rows(_):
        return tuple(Row(name, 1, lambda s, _, name=name: build(s, name)) for name in "abc")

    def build(source, name):
        made.append(name)
        if name == "b" and made.count("b") == 1:
            raise KeyboardInterrupt
        return SFBoW.paper(source.words, Universe.identity(4)), None

    monkeypatch.setattr(run, "rows_of", rows)
    with pytest.raises(KeyboardInterrupt):
        run_experiment([source], benchmark_pairs, out)
    assert sorted(path.name for path in out.rglob("*.json")) == ["a.json", "run.json"]
    run_experiment([source], benchmark_pairs, out)
    assert made == ["a", "b", "b", "c"]
    assert not list(out.rglob("*.part"))


def test_results_of_other_vectors_are_not_mixed(source, benchmark_pairs, tmp_path):
    out = tmp_path / "out"
    run_experiment([source], benchmark_pairs, out, only=["identity"])
    with source.path.open("a") as file:
        file.write("more 1 2 3 4\n")
    with pytest.raises(InputError, match="expected the same vectors, data and seed"):
        run_experiment([source], benchmark_pairs, out, only=["average"])
    with pytest.raises(InputError, match="another folder"):
        run_experiment([Source("Tiny", source.path)], benchmark_pairs, out, seed=1)
    assert not (out / "cells" / "Tiny" / "average.json").exists()


def test_a_pattern_without_rows(source, benchmark_pairs, tmp_path):
    with pytest.raises(OptionError, match="only: expected some of identity, pca-english"):
        run_experiment([source], benchmark_pairs, tmp_path / "out", only=["identiy"])
    assert not (tmp_path / "out").exists()
