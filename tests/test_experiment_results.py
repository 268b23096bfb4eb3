"""Reading what a run has left, whole, in the making, or damaged."""

import math

import pytest
from experiment_results import cell, report_of, write_folder

from sfbow.errors import InputError
from sfbow.experiment.results import read_results, spread

SCORES = [50.0, 40.0, 60.0, 65.0, 70.0]


def test_cells_come_back_as_they_were_written(tmp_path):
    report = report_of("pca-english")
    written = [
        cell("GloVe", "pca-english", SCORES, report=report),
        cell("none", "sentence-bert", SCORES, size=None, sentences_per_second=None),
        cell("mine", "identity", SCORES),
        cell("FastText", "dbscan-cosine-top50000-0.1"),
    ]
    results = read_results(write_folder(tmp_path, written, pairs={"STS12": 3108}))
    assert results.embeddings == ("GloVe", "FastText", "mine")
    assert results.pairs == {"STS12": 3108}
    pca = results.cells["GloVe", "pca-english"]
    assert pca.report.as_dict() == report
    assert pca.score("STS13") == pytest.approx(40)
    assert pca.score("STS13", "all") == pytest.approx(42)
    assert pca.score("STS13", "mean", "pearson") == pytest.approx(1)
    assert pca.average() == pytest.approx(57)
    assert list(results.rows("mine")) == ["identity"]
    bert = results.cells["none", "sentence-bert"]
    assert (bert.size, bert.sentences_per_second, bert.failed) == (None, None, None)
    failed = results.cells["FastText", "dbscan-cosine-top50000-0.1"]
    assert failed.failed == "no cluster"
    assert math.isnan(failed.average())


def test_a_folder_in_the_making(tmp_path):
    results = read_results(write_folder(tmp_path, []))
    assert (results.cells, results.embeddings, results.pairs) == ({}, (), {})


@pytest.mark.parametrize("undefined", [None, math.nan])
def test_a_score_that_is_undefined(tmp_path, undefined):
    written = cell("GloVe", "identity", SCORES)
    written["scores"]["STS12"]["mean"]["spearman"] = undefined
    found = read_results(write_folder(tmp_path, [written])).cells["GloVe", "identity"]
    assert math.isnan(found.score("STS12"))
    assert math.isnan(found.average())
    assert not math.isnan(found.average("weighted"))


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lambda text: text[: len(text) // 2], "delimiter|Unterminated|Expecting"),
        (lambda _: "[]", "list at the top"),
        (lambda _: "[" * 100_000, "recursion"),
        (lambda text: text.replace('"row"', '"line"'), "no 'row'"),
        (lambda text: text.replace('"GloVe"', "7"), "7 for a name"),
        (lambda text: text.replace('"size": 300', '"size": "many"'), "many"),
        (lambda text: text.replace("50000.0", "true"), "True for a number"),
        (lambda text: text.replace("0.01", '"0.01"'), "'0.01' for a number"),
        (lambda text: text.replace('"report": null', '"report": {"x": 1}'), "universe report"),
        (lambda text: text.replace('"scores": {', '"scores": 3, "": {'), "items"),
    ],
)
def test_a_damaged_cell_is_named(tmp_path, damage, found):
    write_folder(tmp_path, [cell("GloVe", "identity", SCORES)])
    path = tmp_path / "cells" / "GloVe" / "identity.json"
    path.write_text(damage(path.read_text()))
    with pytest.raises(InputError, match=found) as caught:
        read_results(tmp_path)
    assert str(caught.value).startswith(f"{path}: expected")
    assert "\n" not in str(caught.value)


def test_no_folder_of_results(tmp_path):
    with pytest.raises(InputError, match=r"found no run\.json in it; make one with"):
        read_results(tmp_path / "nowhere")
    (tmp_path / "run.json").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"run\.json: expected what sfbow reproduce writes"):
        read_results(tmp_path)


def test_spread_by_hand():
    assert spread((1.0, 3.0)) == (2.0, 1.0)
    # Mean (1·1 + 3·3) / 4 = 2.5; variance (1.5² + 3·0.5²) / 4 = 0.75.
    assert spread((1.0, 3.0), (1, 3)) == (2.5, pytest.approx(math.sqrt(0.75)))
    assert all(map(math.isnan, spread(())))
