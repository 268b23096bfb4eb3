"""The graph of an index: good for its segments, exact for the rest, gone when they are."""

import os
from pathlib import Path

import numpy as np
import pytest
from test_fuzzy_index import limit_segments, lists, refused

from sfbow import FuzzyIndex, InputError, ModelFolderError, OptionError
from sfbow.errors import MissingExtraError

pytest.importorskip("usearch")

ROWS = np.abs(np.random.default_rng(0).standard_normal((300, 16))).astype(np.float32)


@pytest.fixture
def index(tmp_path, monkeypatch):
    limit_segments(monkeypatch, 64)
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # which is slow
    with FuzzyIndex.create(tmp_path, size=16, measure="jaccard") as opened:
        opened.add(range(200), ROWS[:200])
        yield opened


def graphs(index) -> list[Path]:
    return sorted(index.folder.glob("graph-*"))


def same(index, **options) -> None:
    """Among so few rows the graph finds all that there is."""
    approximate = index.search(ROWS[::20], k=8, approximate=True, **options)
    assert lists(approximate) == lists(index.search(ROWS[::20], k=8, **options))


def test_what_it_finds(index):
    index.build_graph()
    assert len(graphs(index)) == 2
    same(index)
    assert index.recall(k=5, samples=50) == 1
    opened = FuzzyIndex.open(index.folder)
    same(opened)
    assert opened.recall() == 1


def test_rows_that_come_and_go(index):
    index.build_graph()
    before = graphs(index)
    index.remove([0, 3, 150])
    index.add([20, 300], ROWS[[250, 251]])
    assert graphs(index) == before
    same(index)
    assert 0 not in index.search(ROWS[:1], approximate=True).ids
    assert index.search(ROWS[251], approximate=True, k=1).ids.tolist() == [[300]]
    same(index, ids=[1, 2, 20, 199, 300])
    same(FuzzyIndex.open(index.folder))


def test_a_new_graph_takes_the_place_of_the_one_in_use(index):
    index.build_graph()
    same(index)
    index.add(range(200, 300), ROWS[200:])
    index.build_graph()
    same(index)
    graph = index._approximate(index._snapshot)
    assert graph.path in graphs(index)
    assert graph.segments == len(index._snapshot.segments)


def test_few_ids_that_are_far_from_the_query(index):
    index.add(range(200, 300), ROWS[200:])
    index.build_graph()
    last = index.search(ROWS[0], k=300).ids[0, -2:].tolist()
    found = index.search(ROWS[0], k=2, ids=last, approximate=True)
    assert lists(found) == lists(index.search(ROWS[0], k=2, ids=last))
    assert found.ids.shape == (1, 2)


def test_a_graph_ends_with_its_segments(index):
    index.build_graph()
    index.remove(range(10, 60))
    assert graphs(index) == [], "the first segment was written anew"
    refused("expected a graph, for approximate search, found none", index.search, ROWS[0],
            approximate=True)  # fmt: skip
    index.build_graph()
    same(index)
    old = graphs(index)
    index.add(range(400, 500), ROWS[:100])
    index.build_graph()
    assert len(graphs(index)) == 2
    assert graphs(index) != old
    index.vacuum()
    assert graphs(index) == []


def test_a_graph_that_was_not_finished(index):
    index.build_graph()
    _, description = graphs(index)
    description.unlink()
    refused("found none; make one", FuzzyIndex.open(index.folder).recall)
    index.add([300], ROWS[:1])
    assert graphs(index) == []


def test_a_damaged_graph(index):
    index.build_graph()
    graph, _ = graphs(index)
    content = bytearray(graph.read_bytes())
    content[len(content) // 2] ^= 1
    graph.write_bytes(content)
    opened = FuzzyIndex.open(index.folder)
    refused("build the graph again", opened.search, ROWS[0], approximate=True,
            kind=ModelFolderError)  # fmt: skip
    assert opened.search(ROWS[0], k=1).ids.tolist() == [[0]]
    index.build_graph()
    reader = FuzzyIndex.open(index.folder)
    same(reader)
    index.build_graph()
    same(reader)
    same(FuzzyIndex.open(index.folder))


def test_what_does_not_go(index, tmp_path, monkeypatch):
    refused("none for approximate search", index.search, ROWS[0], threshold=0.5, approximate=True,
            kind=OptionError)  # fmt: skip
    refused("approximate: expected True or False", index.search, ROWS[0], approximate="yes",
            kind=OptionError)  # fmt: skip
    refused("to read only", FuzzyIndex.open(index.folder).build_graph)
    for options in ({"k": 0}, {"samples": 0}):
        refused("expected a whole number from 1", index.recall, kind=OptionError, **options)
    with FuzzyIndex.create(tmp_path / "empty", size=3) as empty:
        empty.build_graph()
        refused("found none", empty.recall)
    with FuzzyIndex.create(tmp_path / "f", size=16, storage="float32") as floats:
        floats.add([1], ROWS[:1])
        refused("8-bit or 4-bit for a graph", floats.build_graph, kind=OptionError)
    monkeypatch.setitem(__import__("sys").modules, "usearch.index", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'sfbow\[approximate\]'"):
        index.build_graph()
    with pytest.raises(InputError):
        index.recall()
