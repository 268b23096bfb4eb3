"""The measures keep the laws of fuzzy-set similarity, on all fuzzy sets there are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfbow import similarity, similarity_pairwise
from sfbow.errors import InputError, OptionError

MEASURES = ["jaccard", "otsuka", "dice", "hellinger"]
all_measures = pytest.mark.parametrize("measure", MEASURES)
CLOSE = {"rtol": 1e-5, "atol": 1e-6}

memberships = st.one_of(
    st.just(0.0), st.floats(2**-20, 2**20, width=32), st.floats(2**-100, 2**100, width=32)
)
shapes = st.tuples(st.integers(1, 5), st.integers(1, 20))
fuzzy_sets = shapes.flatmap(lambda shape: arrays(np.float32, shape, elements=memberships))
pairs = shapes.flatmap(
    lambda shape: st.tuples(*(arrays(np.float32, shape, elements=memberships) for _ in range(2)))
)


def by_definition(a: np.ndarray, b: np.ndarray, measure: str) -> np.ndarray:
    """Each row with each row, in float64 and with the maximum, which the kernels never take."""
    a, b = a.astype(np.float64)[:, None], b.astype(np.float64)[None]
    shared, mass_a, mass_b = np.minimum(a, b).sum(2), a.sum(2), b.sum(2)
    if measure == "hellinger":
        shared = np.sqrt(a * b).sum(2)
    whole = {
        "jaccard": np.maximum(a, b).sum(2),
        "otsuka": np.sqrt(mass_a) * np.sqrt(mass_b),
        "dice": (mass_a + mass_b) / 2,
        "hellinger": np.sqrt(mass_a) * np.sqrt(mass_b),
    }[measure]
    return np.divide(shared, whole, out=np.zeros_like(shared), where=whole > 0)


@all_measures
@given(pairs)
def test_similarity_is_its_definition(measure, sets):
    a, b = sets
    expected = by_definition(a, b, measure)
    result = similarity(a, b, measure=measure)
    assert result.dtype == np.float32
    assert result.shape == (len(a), len(b))
    np.testing.assert_allclose(result, expected, **CLOSE)
    np.testing.assert_allclose(
        similarity_pairwise(a, b, measure=measure), expected.diagonal(), **CLOSE
    )


@all_measures
@given(pairs)
def test_similarity_is_symmetric_and_from_0_to_1(measure, sets):
    a, b = sets
    result = similarity(a, b, measure=measure)
    np.testing.assert_allclose(result, similarity(b, a, measure=measure).T, **CLOSE)
    assert ((result >= 0) & (result <= 1)).all()


@all_measures
@given(fuzzy_sets)
def test_a_set_is_like_itself_unless_it_is_empty(measure, sets):
    itself = np.where(sets.any(axis=1), 1, 0)
    np.testing.assert_array_equal(similarity_pairwise(sets, sets, measure=measure), itself)
    np.testing.assert_allclose(similarity(sets, sets, measure=measure).diagonal(), itself, **CLOSE)
    assert not similarity(sets, np.zeros_like(sets), measure=measure).any()


@all_measures
@given(pairs, st.integers(-20, 20))
def test_scale_does_not_matter(measure, sets, exponent):
    a, b = sets
    factor = np.float32(2.0**exponent)
    scaled = similarity(a * factor, b * factor, measure=measure)
    np.testing.assert_allclose(scaled, similarity(a, b, measure=measure), **CLOSE)


@given(pairs)
def test_dice_and_jaccard_say_the_same(sets):
    jaccard = similarity(*sets, measure="jaccard")
    dice = similarity(*sets, measure="dice")
    np.testing.assert_allclose(dice, 2 * jaccard / (1 + jaccard), **CLOSE)
    assert (similarity(*sets, measure="otsuka") >= jaccard - 1e-6).all()


@given(pairs)
def test_hellinger_is_the_cosine_of_the_square_roots(sets):
    a, b = (np.sqrt(side.astype(np.float64)) for side in sets)
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)
    cosine = np.divide(a @ b.T, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    np.testing.assert_allclose(similarity(*sets, measure="hellinger"), cosine, **CLOSE)
    assert (cosine >= similarity(*sets, measure="otsuka") - 1e-5).all()


@all_measures
@pytest.mark.parametrize("threads", [2, 5])
def test_threads_change_nothing(measure, threads):
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((rows, 33)).astype(np.float32).clip(0) for rows in (200, 77))
    one = similarity(a, b, measure=measure, threads=1)
    np.testing.assert_array_equal(similarity(a, b, measure=measure, threads=threads), one)


def test_one_row_may_stand_for_a_matrix():
    a = np.array([1.0, 0.0])
    assert similarity(a, np.eye(2)).tolist() == [[1, 0]]
    assert similarity_pairwise(a, a).tolist() == [1]


@pytest.mark.parametrize(
    ("rows_a", "rows_b"), [(0, 0), (0, 3), (3, 0)], ids=["none", "none on the left", "right"]
)
def test_no_rows(rows_a, rows_b):
    assert similarity(np.ones((rows_a, 4)), np.ones((rows_b, 4))).shape == (rows_a, rows_b)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_other_numbers_are_converted(dtype, order):
    a = np.array([[3, 1], [0, 2]], dtype=dtype, order=order)
    np.testing.assert_allclose(
        similarity(a, a, measure="jaccard"), by_definition(a, a, "jaccard"), **CLOSE
    )


@pytest.mark.parametrize(
    ("bad", "found"),
    [
        (np.array([[np.nan, 0]]), "NaN"),
        (np.array([[-1e-6, 1]]), "negative ones"),
        (np.array([[np.inf, 1]]), "too large"),
        (np.array([[1e300, 1]]), "too large"),
        (np.array([[2e38, 2e38]]), "too large"),
        (np.array([["a", "b"]]), "2 dimensions of <U1"),
        (np.array([[True, False]]), "2 dimensions of bool"),
        (np.ones((1, 1, 2)), "3 dimensions"),
        (np.array(1.0), "0 dimensions"),
        (np.ones((1, 3)), "3 and 2|2 and 3"),
        (np.array([[1j, 0]]), "complex"),
    ],
)
def test_what_is_no_fuzzy_set(bad, found):
    good = np.ones((1, 2))
    for arguments in ((bad, good), (good, bad)):
        for compare in (similarity, similarity_pairwise):
            with pytest.raises(InputError, match=rf"^memberships: expected .*{found}"):
                compare(*arguments)


def test_row_by_row_needs_as_many_rows():
    with pytest.raises(InputError, match="found 2 and 3"):
        similarity_pairwise(np.ones((2, 2)), np.ones((3, 2)))


@pytest.mark.parametrize("compare", [similarity, similarity_pairwise])
def test_another_measure(compare):
    with pytest.raises(OptionError, match=r"^measure: expected jaccard .*, found 'cosine'"):
        compare(np.eye(2), np.eye(2), measure="cosine")
