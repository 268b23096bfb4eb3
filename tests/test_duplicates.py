"""Near-duplicates are what brute force in float64 finds, whatever the rows and the threshold."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfbow import InputError, OptionError, duplicate_pairs, find_duplicates
from sfbow.index.levels import Levels

MEASURES = ["jaccard", "otsuka", "dice", "hellinger"]
THRESHOLDS = [5e-324, 1e-9, 0.1, 0.5, 0.75, 0.9, 0.99, math.nextafter(1, 0), 1]
all_measures = pytest.mark.parametrize("measure", MEASURES)


def brute_force(vectors: np.ndarray, measure: str) -> np.ndarray:
    """Compute all scores of the same levels, in float64."""
    if len(vectors) == 0:
        return np.zeros((0, 0))
    levels = Levels.for_vectors(vectors, measure).store(vectors).rows.astype(np.float64)
    if measure == "hellinger":
        shared = levels @ levels.T
        masses = (levels**2).sum(axis=1)
    else:
        shared = np.minimum(levels[:, None], levels).sum(axis=2)
        masses = levels.sum(axis=1)
    a, b = masses[:, None], masses
    whole = {
        "jaccard": a + b - shared,
        "dice": (a + b) / 2,
        "otsuka": np.sqrt(a * b),
        "hellinger": np.sqrt(a * b),
    }[measure]
    return np.minimum(1, np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0))


def expected_pairs(scores: np.ndarray, threshold: float) -> dict[tuple[int, int], float]:
    first, second = np.nonzero(np.triu(scores >= threshold, 1))
    return {(a, b): scores[a, b] for a, b in zip(first.tolist(), second.tolist(), strict=True)}


def expected_groups(pairs, count: int) -> np.ndarray:
    """Lower every label to the lowest that a pair connects it with, until nothing changes."""
    labels = np.arange(count)
    changed = True
    while changed:
        changed = False
        for a, b in pairs:
            if labels[a] != labels[b]:
                labels[a] = labels[b] = min(labels[a], labels[b])
                changed = True
    return labels


def check(vectors: np.ndarray, measure: str, threshold: float, threads: int = 2) -> None:
    scores = brute_force(vectors, measure)
    pairs = expected_pairs(scores, threshold)
    found = list(duplicate_pairs(vectors, threshold=threshold, measure=measure, threads=threads))
    assert len({pair[:2] for pair in found}) == len(found)
    assert {pair[:2]: pair.similarity for pair in found} == pairs
    duplicates = find_duplicates(vectors, threshold=threshold, measure=measure, threads=threads)
    labels = expected_groups(pairs, len(vectors))
    np.testing.assert_array_equal(duplicates.representatives, labels)
    own = labels == np.arange(len(labels))
    np.testing.assert_array_equal(duplicates.kept, np.flatnonzero(own))
    np.testing.assert_array_equal(duplicates.removed, np.flatnonzero(~own))
    similar = np.where(own, 1, scores[np.arange(len(labels)), labels] if len(labels) else 1)
    np.testing.assert_array_equal(duplicates.similarities, similar)
    for group in duplicates.groups:
        assert len(group) > 1
        assert (labels[group] == group[0]).all()
    assert sum(map(len, duplicates.groups)) - len(duplicates.groups) == (~own).sum()


def random_sets(rows: int, width: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((rows, width)) * (rng.random((rows, width)) < 0.7)).astype(np.float32)


def clustered_sets(rows: int, width: int, seed: int = 1) -> np.ndarray:
    """Give sets near some of a few centres, nearer and farther; many are the same, some empty."""
    rng = np.random.default_rng(seed)
    centres = random_sets(max(1, rows // 12), width, seed)
    sets = centres[rng.integers(0, len(centres), rows)]
    noise = rng.standard_normal(sets.shape) * rng.choice([0, 0.02, 0.1, 0.3], (rows, 1))
    sets = (sets * np.exp(noise) * rng.choice([1, 1, 1.05, 2], (rows, 1))).astype(np.float32)
    sets[rng.random(rows) < 0.05] = 0
    return sets


@all_measures
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_random_sets(measure, threshold):
    check(random_sets(150, 70), measure, threshold)


@all_measures
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("width", [1, 64, 300])
def test_clustered_sets(measure, threshold, width):
    check(clustered_sets(200, width, width), measure, threshold)


@all_measures
@pytest.mark.parametrize("rows", [0, 1, 2, 63, 64, 65, 128, 129])
def test_every_number_of_rows(measure, rows):
    check(clustered_sets(rows, 40, rows), measure, 0.9)


@all_measures
def test_many_blocks_and_threads(measure):
    vectors = clustered_sets(1500, 64, 5)
    found = [
        list(duplicate_pairs(vectors, threshold=0.85, measure=measure, threads=threads))
        for threads in (1, 2, 5)
    ]
    assert found[0] == found[1] == found[2]
    scores = brute_force(vectors, measure)
    assert {pair[:2]: pair[2] for pair in found[0]} == expected_pairs(scores, 0.85)


@all_measures
@given(
    vectors=arrays(
        np.float32,
        st.tuples(st.integers(1, 40), st.integers(1, 20)),
        elements=st.sampled_from([0, 0, 1, 2, 3, 255]),
    ),
    threshold=st.one_of(
        st.sampled_from(THRESHOLDS), st.fractions("1/12", 1, max_denominator=12).map(float)
    ),
)
def test_few_levels_make_many_ties(measure, vectors, threshold):
    check(vectors, measure, threshold)


@all_measures
@given(st.integers(0, 2**32 - 1), st.floats(0.3, 1))
def test_any_threshold(measure, seed, threshold):
    check(clustered_sets(80, 33, seed), measure, threshold)


@pytest.mark.parametrize(
    ("measure", "a", "b", "score"),
    [
        ("jaccard", [255, 90], [255, 0], 255 / 345),
        ("dice", [255, 45], [255, 0], 510 / 555),
        ("otsuka", [64, 192], [64, 0], 0.5),
        ("hellinger", [255**2, 0], [64**2, 48**2], 0.8),
    ],
)
def test_a_tie_with_the_threshold_counts(measure, a, b, score):
    vectors = np.array([a, b], np.float32)
    vectors = np.append(vectors, [[255.0**2 if measure == "hellinger" else 255, 0]], 0)
    vectors = vectors.astype(np.float32)[: 2 + (measure == "otsuka")]
    assert brute_force(vectors, measure)[0, 1] == score
    first = (0, 1, score)
    assert first in list(duplicate_pairs(vectors, threshold=score, measure=measure))
    above = math.nextafter(score, 1)
    assert first not in list(duplicate_pairs(vectors, threshold=above, measure=measure))


@all_measures
def test_copies_need_no_join(measure):
    vectors = np.tile(random_sets(3, 20, 8), (200, 1))
    duplicates = find_duplicates(vectors, threshold=1, measure=measure)
    np.testing.assert_array_equal(duplicates.representatives, np.arange(600) % 3)
    assert (duplicates.similarities == 1).all()
    pairs = list(duplicate_pairs(vectors, threshold=1, measure=measure))
    assert len(pairs) == 3 * math.comb(200, 2)
    assert all(a < b and a % 3 == b % 3 and score == 1 for a, b, score in pairs)


@all_measures
def test_all_pairs_of_two_sets_with_many_copies(measure):
    vectors = np.repeat([[250, 200], [255, 200]], 400, axis=0).astype(np.float32)
    pairs = list(duplicate_pairs(vectors, measure=measure))
    assert {pair[:2] for pair in pairs} == set(itertools.combinations(range(800), 2))
    assert len(pairs) == math.comb(800, 2)


@all_measures
def test_the_empty_set_resembles_nothing(measure):
    vectors = np.zeros((5, 10), np.float32)
    assert list(duplicate_pairs(vectors, threshold=1e-9, measure=measure)) == []
    assert find_duplicates(vectors, measure=measure).kept.tolist() == [0, 1, 2, 3, 4]


def test_groups_are_chains():
    steps = 100 + 4 * np.arange(20)
    vectors = np.stack([steps, np.full(20, 50)], axis=1).astype(np.float32)
    duplicates = find_duplicates(vectors, threshold=0.95)
    assert duplicates.kept.tolist() == [0]
    assert (np.diff(duplicates.similarities) < 0).all()
    assert duplicates.similarities[-1] < 0.95
    assert [group.tolist() for group in duplicates.groups] == [list(range(20))]
    assert len(duplicates) == 20
    assert repr(duplicates) == "<Duplicates: 20 texts, 1 kept, 1 groups>"


def test_one_heavy_set_does_not_blind_the_sketches():
    vectors = clustered_sets(300, 64, 3)
    vectors[7] *= 200
    check(vectors, "jaccard", 0.9)


TEXTS = ["The cat sat", "the dog", "cat THE sat!", "xyzzy", "", "plugh", "xyzzy", "", "café"]


@pytest.mark.parametrize("kind", [list, tuple, iter, np.array, "arrow", "words"])
def test_texts(model, kind):
    texts: object
    if kind == "arrow":
        texts = pytest.importorskip("pyarrow").array(TEXTS)
    elif kind == "words":
        texts = [text.split() for text in TEXTS]
    else:
        texts = kind(TEXTS)
    duplicates = find_duplicates(texts, model=model)
    alike = 0 if kind != "words" else 2
    assert duplicates.representatives.tolist() == [0, 1, alike, 3, 4, 5, 3, 4, 8]
    assert (duplicates.similarities == 1).all()


def test_texts_without_a_known_word_are_duplicates_only_of_the_same(model):
    pairs = list(duplicate_pairs(TEXTS, model=model, threshold=1))
    assert sorted(pairs) == [(0, 2, 1.0), (3, 6, 1.0), (4, 7, 1.0)]


def test_vectors_of_texts_are_compared_alike(model):
    texts = [f"{a} {b}" for a, b in itertools.product(["cat", "dog", "sat", "the"], repeat=2)]
    vectors = model.encode(texts)
    for measure in MEASURES:
        of_texts = find_duplicates(texts, model=model, threshold=0.7, measure=measure)
        of_vectors = find_duplicates(vectors, threshold=0.7, measure=measure)
        np.testing.assert_array_equal(of_texts.representatives, of_vectors.representatives)
        np.testing.assert_allclose(of_texts.similarities, of_vectors.similarities, atol=0.03)


def test_nothing(model):
    for nothing in ([], iter([]), np.zeros((0, 8), np.float32), np.zeros((0, 0))):
        duplicates = find_duplicates(nothing, model=None if hasattr(nothing, "shape") else model)
        assert len(duplicates) == 0
        assert duplicates.groups == []
        assert duplicates.kept.tolist() == []


def test_progress(model, capfd):
    texts = [f"cat {'dog ' * n}" for n in range(300)]
    assert len(find_duplicates(texts, model=model, show_progress_bar=True)) == 300
    assert list(duplicate_pairs(["cat", "cat!"], model=model, show_progress_bar=True))
    shown = capfd.readouterr().err
    assert "300/300" in shown
    assert "pairs" in shown
    find_duplicates(texts, model=model)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("threshold", [0, -0.5, 1.0001, math.nan, math.inf, "0.9", True, None])
def test_what_is_no_threshold(threshold):
    for function in (find_duplicates, duplicate_pairs):
        with pytest.raises(OptionError, match="threshold: expected a number above 0 up to 1"):
            function(np.ones((2, 2)), threshold=threshold)


def test_wrong_options(model):
    with pytest.raises(OptionError, match="measure: expected jaccard or otsuka"):
        duplicate_pairs(["a"], model=model, measure="cosine")
    with pytest.raises(OptionError, match="threads: expected a whole number"):
        find_duplicates(["a"], model=model, threads=0)
    with pytest.raises(OptionError, match="show_progress_bar"):
        find_duplicates(["a"], model=model, show_progress_bar=1)
    with pytest.raises(OptionError, match="model: expected none for vectors"):
        find_duplicates(np.ones((2, 2)), model=model)


@pytest.mark.parametrize(
    "vectors",
    [
        np.array([[1, -1.0]]),
        np.array([[1, np.nan]]),
        np.array([[np.inf, 1]]),
        np.ones(3),
        np.ones((2, 2, 2)),
        np.ones((2, 2), np.complex64),
        np.ones((2, 2), np.bool_),
        np.ones((2, 0)),
    ],
)
def test_what_are_no_vectors(vectors):
    with pytest.raises(InputError):
        find_duplicates(vectors)


@pytest.mark.parametrize("texts", ["one text", b"bytes", 3, None, [1, 2], {"a": 1}])
def test_what_are_no_texts(model, texts):
    with pytest.raises(InputError):
        find_duplicates(texts, model=model)
