"""The graph finds nearly all, scores exactly, and its distance survives a file."""

import json
import subprocess
import sys
from dataclasses import asdict, replace

import numpy as np
import pytest

from sfbow import ModelFolderError, OptionError
from sfbow.index import graph as graph_module
from sfbow.index.comparison import scores
from sfbow.index.graph import Graph
from sfbow.index.levels import Levels, Stored
from sfbow.index.part import Part
from sfbow.index.scan import nearest

pytest.importorskip("usearch")
MEASURES = ["jaccard", "otsuka", "dice", "hellinger"]
measures = pytest.mark.parametrize("measure", MEASURES)
storages = pytest.mark.parametrize("storage", ["8-bit", "4-bit"])
SIZE = 70


def clustered(rows: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    centres = np.random.default_rng(9).standard_normal((30, SIZE))
    noise = random.standard_normal((rows, SIZE)) * 0.5
    return (centres[random.integers(0, 30, rows)] + noise).clip(0).astype(np.float32)


@pytest.fixture(scope="module", params=[(m, s) for m in MEASURES for s in ("8-bit", "4-bit")])
def made(request):
    measure, storage = request.param
    vectors, asked = clustered(2000, 1), clustered(50, 2)
    vectors[::100] = 0
    asked[7] = 0
    levels = Levels.for_vectors(vectors, measure, storage)
    stored = levels.store(vectors)
    numbers = np.arange(5000, 7000)
    parts = [
        Part(stored.rows[:1500], stored.masses[:1500], numbers[:1500]),
        Part(stored.rows[1500:], stored.masses[1500:], numbers[1500:]),
    ]
    graph = Graph.build(levels, parts, threads=1)
    return graph, stored, parts, levels.store(asked)


def check_scores(found, levels, stored, queries, first=5000):
    exact = scores(levels, queries, stored)
    for query, (numbers, given) in enumerate(zip(found.numbers, found.scores, strict=True)):
        hits = numbers >= 0
        np.testing.assert_array_equal(given[hits], np.float32(exact[query, numbers[hits] - first]))
        assert not given[~hits].any()
        assert (np.diff(given) <= 0).all()


def levels_of(stored: Stored, rows: slice) -> Stored:
    return Stored(stored.rows[rows], stored.masses[rows])


def recall(found, exact) -> float:
    return np.mean([np.isin(a, b).mean() for a, b in zip(exact, found, strict=True)])


def test_it_finds_nearly_all_with_exact_scores(made):
    graph, stored, parts, queries = made
    assert len(graph) == 1980
    levels = graph.levels
    exact = nearest(levels, parts, queries, 10)
    found = graph.search(queries, 10)
    share = recall(found.numbers[:7], exact.numbers[:7])
    assert 0.97 < share <= 1
    assert graph.recall(parts, levels_of(queries, slice(7))) >= share
    assert (found.numbers[7] == -1).all()
    check_scores(found, levels, stored, queries)
    assert 0.6 < graph.recall(parts, queries, 10, effort=10) <= graph.recall(parts, queries, 10)
    one = graph.search(levels_of(queries, slice(1)), 10)
    np.testing.assert_array_equal(one.numbers[0], found.numbers[0])


def test_rows_that_may_not_be_found(made):
    graph, stored, parts, queries = made
    kept = np.random.default_rng(0).random(7000) < 0.5
    found = graph.search(queries, 10, kept=kept)
    hits = found.numbers[found.numbers >= 0]
    assert kept[hits].all()
    assert len(hits) == 490
    check_scores(found, graph.levels, stored, queries)
    parts = [replace(part, kept=kept[part.numbers]) for part in parts]
    assert graph.recall(parts, queries, kept=kept) > 0.97
    only = Graph.build(graph.levels, parts)
    assert len(only) < 1100
    first = only.search(queries, 1).numbers[:7]
    assert kept[first].all()
    nothing = graph.search(queries, 10, kept=np.zeros(7000, bool))
    assert (nothing.numbers == -1).all()


def test_more_than_there_are(made):
    graph, stored, _, queries = made
    few = levels_of(queries, slice(3))
    found = graph.search(few, 3000)
    assert found.numbers.shape == (3, 3000)
    assert ((found.numbers >= 0).sum(axis=1) > 1900).all()
    check_scores(found, graph.levels, stored, few)


def test_a_saved_graph_is_the_same(made, tmp_path):
    graph, _, _, queries = made
    path = tmp_path / "rows.graph"
    graph.save(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["rows.graph", "rows.graph.json"]
    for verify in (True, False):
        opened = Graph.open(path, graph.levels, verify=verify)
        assert len(opened) == len(graph)
        before, after = graph.search(queries, 10), opened.search(queries, 10)
        np.testing.assert_array_equal(before.numbers, after.numbers)
        np.testing.assert_array_equal(before.scores, after.scores)


@measures
@storages
@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(measure, storage, rows, tmp_path):
    levels = Levels(storage, measure, SIZE, 0.05)
    graph = Graph.build(levels, [Part.of(levels.store(clustered(rows, 1)))])
    graph.save(tmp_path / "graph")
    for some in (graph, Graph.open(tmp_path / "graph", levels)):
        for queries in (0, 1, 2):
            found = some.search(levels.store(clustered(queries, 2)), 3)
            assert found.numbers.shape == (queries, 3)
            assert (found.numbers[:, :rows] == 0).all()
            assert (found.numbers[:, rows:] == -1).all()


def test_otsuka_s_distance_is_not_another_s(tmp_path):
    """A graph whose distance was lost would rank these two in the other order."""
    rows = np.array([[100, 0, 0], [255, 255, 255]], float)
    levels = Levels("8-bit", "otsuka", 3)
    graph = Graph.build(levels, [Part.of(levels.store(rows))])
    graph.save(tmp_path / "graph")
    opened = Graph.open(tmp_path / "graph", levels)
    found = opened.search(levels.store(np.array([[255, 100, 60.0]])), 2)
    exact = nearest(levels, [Part.of(levels.store(rows))], levels.store([[255, 100, 60.0]]), 2)
    np.testing.assert_array_equal(found.scores, exact.scores)


@pytest.fixture
def saved(tmp_path):
    levels = Levels("8-bit", "jaccard", SIZE, 0.05)
    path = tmp_path / "graph"
    Graph.build(levels, [Part.of(levels.store(clustered(300, 1)))]).save(path)
    return path, levels, tmp_path / "graph.json"


def edit(description, **changes):
    document = json.loads(description.read_text()) | changes
    description.write_text(json.dumps(document))


def test_a_graph_of_other_rows_is_refused(saved):
    path, levels, _ = saved
    for other in (
        Levels("8-bit", "dice", SIZE, 0.05),
        Levels("8-bit", "jaccard", SIZE, 0.06),
        Levels("8-bit", "jaccard", SIZE + 1, 0.05),
    ):
        with pytest.raises(ModelFolderError, match=r"expected levels .* build the graph again"):
            Graph.open(path, other)
    assert len(Graph.open(path, levels)) == 300


def test_a_graph_of_wider_rows_is_refused(saved):
    path, levels, description = saved
    wider = replace(levels, size=levels.size + 256)
    edit(description, levels=asdict(wider))
    with pytest.raises(ModelFolderError, match=r"300 rows of \d+ levels, found 300 of \d+; build"):
        Graph.open(path, wider)


@pytest.mark.parametrize("verify", [True, False])
def test_damaged_files(saved, verify):
    path, levels, description = saved
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(ModelFolderError, match=f"expected {len(data)} bytes"):
        Graph.open(path, levels, verify=verify)
    path.unlink()
    with pytest.raises(ModelFolderError, match="found no file"):
        Graph.open(path, levels, verify=verify)
    path.write_bytes(data)
    edit(description, distance=0.123)
    with pytest.raises(ModelFolderError, match=r"two rows at a distance of 0\.123"):
        Graph.open(path, levels, verify=verify)


def test_a_changed_byte_is_found(saved):
    path, levels, _ = saved
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(ModelFolderError, match="the checksum"):
        Graph.open(path, levels)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": "sfbow graph"}', "[" * 99_999])
def test_broken_descriptions(saved, text):
    path, levels, description = saved
    description.write_text(text)
    with pytest.raises(ModelFolderError, match="build the graph again"):
        Graph.open(path, levels)
    description.unlink()
    with pytest.raises(ModelFolderError, match=r"graph\.json beside it"):
        Graph.open(path, levels)


@pytest.mark.parametrize("name", ["rows", "pair", "distance", "bytes", "sha256"])
def test_descriptions_that_lack_something(saved, name):
    path, levels, description = saved
    edit(description, **{name: "0" if name == "sha256" else None})
    with pytest.raises(ModelFolderError, match="build the graph again"):
        Graph.open(path, levels)


def test_a_lost_distance_is_noticed(saved, monkeypatch):
    from usearch.compiled import MetricKind

    path, levels, _ = saved
    monkeypatch.setattr(graph_module, "_metric", lambda _: MetricKind.Cos)
    with pytest.raises(ModelFolderError, match="two rows at a distance of"):
        Graph.open(path, levels)


def test_float32_has_no_graph():
    levels = Levels("float32", "jaccard", 4)
    with pytest.raises(OptionError, match="storage: expected 8-bit or 4-bit for a graph"):
        Graph.build(levels, [])


def test_without_usearch():
    code = (
        "import sys; sys.modules['usearch'] = None\n"
        "from sfbow.index.graph import Graph; from sfbow.index.levels import Levels\n"
        "try: Graph.build(Levels('8-bit', 'jaccard', 4), [])\n"
        "except ImportError as error: print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == (
        "approximate search: packages are missing; pip install 'sfbow[approximate]'\n"
    )


def test_a_progress_bar(capsys):
    levels = Levels("8-bit", "jaccard", SIZE, 0.05)
    parts = [Part.of(levels.store(clustered(30, 1)))]
    Graph.build(levels, parts)
    assert capsys.readouterr().err == ""
    Graph.build(levels, parts, show_progress_bar=True)
    assert "30/30" in capsys.readouterr().err


def test_recall_of_nothing():
    levels = Levels("8-bit", "jaccard", SIZE, 0.05)
    assert Graph.build(levels, []).recall([], levels.store(clustered(3, 1))) == 1
