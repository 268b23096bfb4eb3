"""Exact search finds what brute force finds in float64, to the last tie."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow import OptionError
from sfbow.index import blocks, scan
from sfbow.index.levels import Levels, Stored
from sfbow.index.part import Part
from sfbow.index.scan import above, nearest

MEASURES = ["jaccard", "otsuka", "dice", "hellinger"]
STORAGES = ["8-bit", "4-bit"]
measures = pytest.mark.parametrize("measure", MEASURES)
storages = pytest.mark.parametrize("storage", STORAGES)
SIZE = 70


def random_sets(rows: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, SIZE)).astype(np.float32).clip(0)


def clustered(rows: int, seed: int) -> np.ndarray:
    """Groups of sets that are nearly the same, of very different masses."""
    random = np.random.default_rng(seed)
    centres = random_sets(max(1, rows // 20), 99) * random.lognormal(size=(max(1, rows // 20), 1))
    noise = random.standard_normal((rows, SIZE)) * 0.05
    return (centres[random.integers(0, len(centres), rows)] + noise).clip(0).astype(np.float32)


def tied(rows: int, seed: int) -> np.ndarray:
    """Few numbers, so that most scores occur many times, and some sets are empty."""
    random = np.random.default_rng(seed)
    return (random.random((rows, SIZE)) < 0.04).astype(np.float32)


def empty(rows: int, seed: int) -> np.ndarray:
    return np.zeros((rows, SIZE), np.float32)


KINDS = {"random": random_sets, "clustered": clustered, "tied": tied, "empty": empty}
kinds = pytest.mark.parametrize("kind", KINDS)


def unpacked(rows: np.ndarray, storage: str) -> np.ndarray:
    return (np.hstack([rows % 16, rows // 16]) if storage == "4-bit" else rows).astype(np.int64)


def brute_force(levels: Levels, rows: Stored, queries: Stored) -> np.ndarray:
    """All scores, in float64."""
    a, b = unpacked(queries.rows, levels.storage), unpacked(rows.rows, levels.storage)
    power = 2 if levels.measure == "hellinger" else 1
    mass_a, mass_b = (a**power).sum(axis=1)[:, None], (b**power).sum(axis=1)
    shared = a @ b.T if power == 2 else np.minimum(a[:, None], b).sum(axis=2)
    wholes = {"jaccard": mass_a + mass_b - shared, "dice": (mass_a + mass_b) / 2}
    whole = wholes.get(levels.measure, np.sqrt(mass_a * mass_b))
    return np.divide(shared, whole, out=np.zeros(shared.shape), where=shared > 0).clip(max=1)


def ranked(scores: np.ndarray, numbers: np.ndarray, least: float = 0) -> list[tuple[int, float]]:
    """Hits of one query: best first, equal ones by number."""
    hits = [(n, s) for n, s in zip(numbers.tolist(), scores.tolist(), strict=True) if s > 0]
    return sorted((hit for hit in hits if hit[1] >= least), key=lambda hit: (-hit[1], hit[0]))


def check_nearest(found, scores, numbers, k):
    assert found.numbers.shape == found.scores.shape == (len(scores), k)
    for row, number, score in zip(scores, found.numbers, found.scores, strict=True):
        hits = ranked(row, numbers)[:k]
        hits += [(-1, 0.0)] * (k - len(hits))
        assert number.tolist() == [number for number, _ in hits]
        np.testing.assert_array_equal(score, np.float32([score for _, score in hits]))


def check_above(found, scores, numbers, threshold):
    hits = [ranked(row, numbers, threshold) for row in scores]
    np.testing.assert_array_equal(found.bounds, np.cumsum([0, *map(len, hits)]))
    flat = [hit for row in hits for hit in row]
    assert found.numbers.tolist() == [number for number, _ in flat]
    np.testing.assert_array_equal(found.scores, np.float32([score for _, score in flat]))


def divided(stored: Stored, bounds: list[int], kept: np.ndarray | None = None) -> list[Part]:
    """Segments with their own order of rows."""
    parts = []
    for start, end in pairwise(bounds):
        piece = Stored(stored.rows[start:end], stored.masses[start:end])
        part = Part.of(piece, start)
        if kept is not None:
            part = Part(part.rows, part.masses, part.numbers, kept[part.numbers])
        parts.append(part)
    return parts


@pytest.fixture
def small_blocks(monkeypatch):
    """Many blocks and batches, of few rows."""
    monkeypatch.setattr(blocks, "_LEAST", 7)
    monkeypatch.setattr(blocks, "_MOST", 50)
    monkeypatch.setattr(scan, "_QUERIES", 5)


@pytest.mark.parametrize("threads", [1, 3])
@kinds
@storages
@measures
@pytest.mark.usefixtures("small_blocks")
def test_it_is_brute_force(measure, storage, kind, threads):
    vectors, asked = KINDS[kind](400, 1), KINDS[kind](13, 2)
    asked[3] = vectors[17]
    asked[4] = 0
    levels = Levels.for_vectors(random_sets(50, 3), measure, storage)
    rows, queries = levels.store(vectors), levels.store(asked)
    scores, numbers = brute_force(levels, rows, queries), np.arange(400)
    for bounds in ([0, 400], [0, 0, 3, 150, 151, 400, 400]):
        parts = divided(rows, bounds)
        for k in (1, 10, 500):
            found = nearest(levels, parts, queries, k, threads=threads)
            check_nearest(found, scores, numbers, k)
        for threshold in (0.01, 0.5, 0.9, 1.0):
            found = above(levels, parts, queries, threshold, threads=threads)
            check_above(found, scores, numbers, threshold)


@pytest.mark.parametrize("share", [0, 0.02, 0.3, 0.9, 1])
@kinds
@measures
@pytest.mark.usefixtures("small_blocks")
def test_only_rows_that_are_kept(measure, kind, share):
    vectors = KINDS[kind](400, 1)
    levels = Levels.for_vectors(random_sets(50, 3), measure)
    rows, queries = levels.store(vectors), levels.store(KINDS[kind](6, 2))
    kept = np.random.default_rng(0).random(400) < share
    scores, numbers = brute_force(levels, rows, queries), np.arange(400)
    scores[:, ~kept] = 0
    parts = divided(rows, [0, 100, 400], kept)
    check_nearest(nearest(levels, parts, queries, 10), scores, numbers, 10)
    check_above(above(levels, parts, queries, 0.3), scores, numbers, 0.3)


@measures
@storages
@given(data=st.data())
def test_whatever_the_rows(measure, storage, data):
    """Levels of all sizes, equal rows, any segments; at exactly a score as the threshold, too."""
    draw = data.draw
    highest = 255 if storage == "8-bit" else 15
    one = st.lists(st.integers(0, highest) | st.just(0), min_size=3, max_size=3)
    vectors = np.array(draw(st.lists(one, min_size=1, max_size=30)), np.float32)
    asked = np.array(draw(st.lists(one, min_size=1, max_size=6)), np.float32)
    if measure == "hellinger":
        vectors, asked = vectors**2, asked**2
    levels = Levels(storage, measure, 3)
    rows, queries = levels.store(vectors), levels.store(asked)
    cuts = draw(st.lists(st.integers(0, len(vectors)), max_size=3))
    parts = divided(rows, [0, *sorted(cuts), len(vectors)])
    scores, numbers = brute_force(levels, rows, queries), np.arange(len(vectors))
    k = draw(st.integers(1, 40))
    check_nearest(nearest(levels, parts, queries, k), scores, numbers, k)
    threshold = draw(st.sampled_from([*scores[scores > 0].tolist(), 0.5]))
    check_above(above(levels, parts, queries, threshold), scores, numbers, threshold)


@measures
def test_float32_rows(measure):
    vectors, asked = clustered(300, 1), clustered(9, 2)
    levels = Levels.for_vectors(vectors, measure, "float32")
    rows, queries = levels.store(vectors), levels.store(asked)
    found = nearest(levels, divided(rows, [0, 120, 300]), queries, 20)
    whole = nearest(levels, divided(rows, [0, 300]), queries, 20, threads=1)
    np.testing.assert_array_equal(found.numbers, whole.numbers)
    np.testing.assert_array_equal(found.scores, whole.scores)
    a, b = queries.rows.astype(np.float64), rows.rows.astype(np.float64)
    power = 2 if measure == "hellinger" else 1
    mass_a, mass_b = (a**power).sum(axis=1)[:, None], (b**power).sum(axis=1)
    shared = a @ b.T if power == 2 else np.minimum(a[:, None], b).sum(axis=2)
    wholes = {"jaccard": mass_a + mass_b - shared, "dice": (mass_a + mass_b) / 2}
    scores = shared / wholes.get(measure, np.sqrt(mass_a * mass_b))
    np.testing.assert_allclose(found.scores, -np.sort(-scores, axis=1)[:, :20], rtol=1e-5)
    reached = above(levels, divided(rows, [0, 300]), queries, 0.5)
    assert len(reached.numbers) == np.count_nonzero(scores >= 0.5)


@pytest.mark.parametrize("rows", [0, 1, 3])
@pytest.mark.parametrize("queries", [0, 1, 2])
@measures
def test_few_rows_or_queries(measure, rows, queries):
    levels = Levels("8-bit", measure, SIZE, 0.01)
    parts = [Part.of(levels.store(random_sets(rows, 1)))]
    asked = levels.store(random_sets(queries, 2))
    for some in (parts, [], parts[:0]):
        found = nearest(levels, some, asked, 2)
        assert found.numbers.shape == found.scores.shape == (queries, 2)
        assert found.numbers.dtype == np.int64
        assert found.scores.dtype == np.float32
        hits = min(2, rows) if some else 0
        assert (np.count_nonzero(found.numbers >= 0, axis=1) == hits).all()
        reached = above(levels, some, asked, 0.001)
        assert len(reached.bounds) == queries + 1
        assert (np.diff(reached.bounds) == (rows if some else 0)).all()
        assert reached.scores.dtype == np.float32


def test_masses_that_cannot_be_similar_enough_are_not_read():
    """Rows that would be compared break the test: they are no rows."""
    levels = Levels("8-bit", "jaccard", 64)
    light, heavy = levels.store(np.ones((9, 64))), levels.store(np.full((9, 64), 100.0))
    unreadable = np.zeros((9, 1), np.uint8)
    parts = [Part.of(light), Part(unreadable, heavy.masses, np.arange(9, 18))]
    found = above(levels, parts, Stored(light.rows[:1], light.masses[:1]), 0.1)
    assert found.numbers.tolist() == list(range(9))


def test_results_are_of_the_machine_s_exact_arithmetic():
    """3/5 reaches 0.6 as Python writes it, and 1/3 reaches 1/3."""
    levels = Levels("8-bit", "jaccard", 2)
    rows = [Part.of(levels.store(np.array([[3.0, 0], [1, 0]])))]
    query = levels.store(np.array([[3.0, 2.0]]))
    assert above(levels, rows, query, 0.6).numbers.tolist() == [0]
    assert above(levels, rows, query, np.nextafter(0.6, 1)).numbers.tolist() == []
    query = levels.store(np.array([[3.0, 0]]))
    assert above(levels, rows, query, 1 / 3).numbers.tolist() == [0, 1]


@pytest.mark.parametrize("k", [0, -1, 1.5, True, None])
def test_a_k_that_cannot_be(k):
    levels = Levels("8-bit", "jaccard", 2)
    with pytest.raises(OptionError, match="k: expected a whole number from 1"):
        nearest(levels, [], levels.store(np.ones((1, 2))), k)


@pytest.mark.parametrize("threshold", [0, -1, 1.5, float("nan"), None])
def test_a_threshold_that_cannot_be(threshold):
    levels = Levels("8-bit", "jaccard", 2)
    with pytest.raises(OptionError, match="threshold: expected a number above 0 up to 1"):
        above(levels, [], levels.store(np.ones((1, 2))), threshold)
