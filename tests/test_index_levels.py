"""Levels are rounded memberships, and scores from them are as near to the true ones as promised."""

import numpy as np
import pytest
from conftest import make_words, random_vectors
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfbow import InputError, OptionError, SFBoW, Universe, similarity
from sfbow.index.comparison import scores
from sfbow.index.levels import Levels

MEASURES = ["jaccard", "otsuka", "dice", "hellinger"]
STORAGES = ["8-bit", "4-bit", "float32"]
HIGHEST = {"8-bit": 255, "4-bit": 15}
REACH = {"8-bit": 1, "4-bit": 0.55, "float32": 1}  # of the largest membership
measures = pytest.mark.parametrize("measure", MEASURES)
storages = pytest.mark.parametrize("storage", STORAGES)
sets = arrays(
    np.float32,
    st.tuples(st.integers(2, 5), st.integers(1, 70)),
    elements=st.floats(0, 2, width=32) | st.just(0.0),
)


def random_sets(rows: int, size: int, seed: int = 0) -> np.ndarray:
    return random_vectors(rows, size, seed).clip(0)


@pytest.mark.parametrize("size", [1, 63, 64, 65, 127, 128, 129, 512])
@storages
@measures
def test_what_is_stored(measure, storage, size):
    vectors = random_sets(7, size)
    vectors[3] = 0
    levels = Levels.for_vectors(vectors, measure, storage)
    stored = levels.store(vectors)
    assert stored.rows.shape == (7, levels.width)
    assert stored.rows.dtype == levels.dtype
    assert stored.masses.dtype == levels.mass_dtype
    assert levels.width * levels.dtype.itemsize % 64 == 0
    numbers = levels.unpacked(stored).rows
    assert not numbers[:, size:].any()
    expected = (np.sqrt(vectors) if measure == "hellinger" else vectors) / np.float32(levels.scale)
    if storage != "float32":
        expected = np.floor(expected + np.float32(0.5)).clip(max=HIGHEST[storage])
        assert expected.max() == HIGHEST[storage]
    np.testing.assert_array_equal(numbers[:, :size], expected)
    power = 2 if measure == "hellinger" else 1
    whole = (numbers.astype(np.float64) ** power).sum(axis=1)
    np.testing.assert_allclose(stored.masses, whole, rtol=1e-6 if storage == "float32" else 0)
    assert levels.largest >= 0.999 * vectors.max() * REACH[storage]


@measures
@given(vectors=sets)
def test_the_bound_that_is_promised(measure, vectors):
    levels = Levels.for_vectors(vectors, measure)
    a = levels.store(vectors)
    masses = a.masses.astype(np.float64)
    known = masses > 0
    a = type(a)(a.rows[known], a.masses[known])
    mass, other, size = masses[known, None], masses[known], levels.size
    bounds = {
        "jaccard": size / np.maximum(mass, other),
        "dice": 2 * size / (mass + other),
        "otsuka": size / np.minimum(mass, other),
        "hellinger": np.sqrt(size / mass) + np.sqrt(size / other),
    }
    truth = similarity(vectors[known], vectors[known], measure=measure)
    assert (np.abs(scores(levels, a, a) - truth) <= bounds[measure] + 1e-5).all()


@measures
def test_what_exceeds_the_largest_membership_is_stored_as_that(measure):
    levels = Levels("8-bit", measure, 3, 0.01)
    largest = levels.largest
    row = levels.store(np.array([[largest, 2 * largest, 1e30]], np.float32)).rows[0]
    assert row[:3].tolist() == [255] * 3


@measures
@storages
@given(vectors=sets)
def test_scores_of_a_set_with_itself_and_with_nothing(measure, storage, vectors):
    vectors = np.vstack([vectors, np.zeros_like(vectors[:1])])
    levels = Levels.for_vectors(vectors, measure, storage)
    stored = levels.store(vectors)
    found = scores(levels, stored, stored)
    np.testing.assert_array_equal(found.diagonal(), stored.masses > 0)
    np.testing.assert_array_equal(found, found.T)
    assert not found[-1].any()


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("budget", [0, 1 << 20])
@measures
@storages
def test_the_scale_of_a_model_reaches_to_its_words(storage, measure, budget, signed, counts):
    universe = Universe(random_vectors(9, 6, 1))
    model = SFBoW(
        make_words(),
        universe.signed() if signed else universe,
        counts=counts,
        measure=measure,
        memory_budget=budget,
    )
    largest = model.encode(model.vocabulary.words).max() * (4 if counts else 1)
    levels = Levels.for_model(model, storage)
    assert (levels.size, levels.measure) == (model.size, measure)
    if storage == "float32":
        assert levels.scale == 1
    else:
        assert levels.largest == pytest.approx(REACH[storage] * largest, rel=1e-6)
    assert Levels.for_model(model, storage, measure="dice").measure == "dice"


@pytest.mark.parametrize("measure", ["jaccard", "otsuka", "dice"])
def test_nothing_is_lost_of_8_bit_models(measure):
    model = SFBoW(make_words(), Universe(random_vectors(9, 6, 1)).signed()).quantized()
    vectors = model.encode(["the cat sat", "Cat café", "dog", "the dog I"])
    levels = Levels.for_model(model, measure=measure)
    stored = levels.store(vectors)
    np.testing.assert_allclose(
        stored.rows[:, : levels.size] * levels.scale, vectors, rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(
        scores(levels, stored, stored), similarity(vectors, vectors, measure=measure), atol=1e-6
    )


@pytest.mark.parametrize("counts", [False, True])
@measures
@pytest.mark.parametrize("storage", ["8-bit", "4-bit"])
def test_the_scale_of_an_8_bit_model_reaches_to_its_words(storage, measure, counts):
    universe = Universe(random_vectors(9, 6, 1))
    model = SFBoW(make_words(), universe, counts=counts, measure=measure).quantized()
    largest = REACH[storage] * 127 * model.memberships.scale * (4 if counts else 1)
    assert largest * 0.999 < Levels.for_model(model, storage).largest < largest * 2.01


def test_the_level_that_fits_roots_best():
    """Of all levels that the root of 127 steps could have, roots of fewer are nearest with 247."""
    roots = np.sqrt(np.arange(128) / 127)
    errors = {n: ((np.rint(roots * n) / n - roots) ** 2).mean() for n in range(128, 256)}
    assert min(errors, key=errors.get) == 247


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, -np.inf, -1e-30])
@pytest.mark.parametrize("place", [(0, 0), (2, 69), (4, 33)])
@measures
@storages
def test_what_is_no_membership_is_refused(storage, measure, place, value):
    vectors = random_sets(5, 70)
    vectors[place] = value
    with pytest.raises(InputError, match="from 0 up, found negative ones, NaN or too large; give"):
        Levels(storage, measure, 70, 0.1).store(vectors)


def test_a_mass_that_is_too_large_is_refused():
    levels = Levels("float32", "jaccard", 2)
    with pytest.raises(InputError, match="too large"):
        levels.store(np.full((1, 2), 3e38))


@pytest.mark.parametrize(
    "vectors", [np.zeros(4), np.zeros((2, 3)), np.zeros((2, 4), str), np.zeros((1, 2, 4))]
)
def test_rows_of_another_shape_are_refused(vectors):
    with pytest.raises(InputError, match="expected rows of 4 numbers, found"):
        Levels("8-bit", "jaccard", 4).store(vectors)


def test_no_rows():
    stored = Levels("8-bit", "jaccard", 4).store(np.zeros((0, 4), np.float32))
    assert stored.rows.shape == (0, 64)
    assert stored.masses.shape == (0,)


def test_nothing_but_zeros_has_levels():
    levels = Levels.for_vectors(np.zeros((2, 4)), "hellinger")
    assert not levels.store(np.zeros((2, 4))).rows.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("2-bit", "jaccard", 4), "storage: expected 8-bit or 4-bit or float32, found '2-bit'"),
        (("8-bit", "cosine", 4), "measure: expected"),
        (("8-bit", "jaccard", 0), "size: expected a whole number from 1, found 0"),
        (("8-bit", "jaccard", 4, 0.0), "scale: expected a number above 0"),
        (("4-bit", "jaccard", 40_000), "storage: expected float32 beyond 32,768 fuzzy sets"),
    ],
)
def test_options_that_cannot_be(arguments, message):
    with pytest.raises(OptionError, match=message):
        Levels(*arguments)
