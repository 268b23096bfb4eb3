"""Cosines, against their definition in float64."""

import numpy as np
import pytest
from conftest import random_vectors
from hypothesis import given
from hypothesis import strategies as st

from sfbow import InputError
from sfbow.baselines import AverageOfWords, BagOfWords, DynaMax, FuzzyBagOfWords, SifEmbedding
from sfbow.baselines.cosine import CosineModel, cosine, cosine_pairwise, unit_rows
from sfbow.coverage import measure_coverage


def cosine_by_definition(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    return a @ b / lengths if lengths else 0


@given(st.integers(0, 2**32), st.integers(0, 5), st.integers(0, 5), st.integers(1, 40))
def test_cosine(seed, rows, others, width):
    a, b = random_vectors(rows, width, seed), random_vectors(others, width, seed + 1)
    a[::3] = 0
    expected = [[cosine_by_definition(x, y) for y in b] for x in a]
    np.testing.assert_allclose(
        cosine(a, b), np.reshape(expected, (rows, others)), rtol=0, atol=1e-6
    )
    common = min(rows, others)
    found = cosine_pairwise(a[:common], b[:common])
    np.testing.assert_allclose(found, np.diagonal(cosine(a, b)), rtol=0, atol=1e-6)
    assert found.dtype == cosine(a, b).dtype == np.float32


@pytest.mark.parametrize("scale", [1e-42, 1e-30, 1e30, 5e37])
def test_lengths_of_any_size(scale):
    rows = (np.array([[3, 4], [0, -2]]) * scale).astype(np.float32)
    np.testing.assert_allclose(cosine(rows, [[1, 0], [0, 1]]), [[0.6, 0.8], [0, -1]], atol=2e-3)


def test_bounds():
    rows = random_vectors(200, 7)
    assert np.abs(cosine(rows, rows)).max() <= 1
    assert (cosine_pairwise(rows, -rows) >= -1).all()


def test_zero_rows_stay():
    assert unit_rows(np.zeros((2, 3), np.float32)).tolist() == [[0, 0, 0]] * 2
    assert cosine(np.zeros(3), np.zeros(3)).tolist() == [[0]]


def test_evaluation_can_count_unknown_words(words):
    models = [AverageOfWords(words), SifEmbedding(words), DynaMax(words), BagOfWords(words)]
    for model in (*models, FuzzyBagOfWords(words)):
        assert measure_coverage(["cat zebra"], model.vocabulary, model.tokenizer).known_tokens == 1


def test_a_model_has_both():
    model, rows = CosineModel(), random_vectors(3, 4)
    assert (model.similarity(rows, rows) == cosine(rows, rows)).all()
    assert (model.similarity_pairwise(rows, rows) == cosine_pairwise(rows, rows)).all()


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.ones((2, 3)), np.ones((2, 4)), "rows of one width, found 3 and 4"),
        (np.ones((2, 2, 2)), np.ones((2, 2)), "found 3 dimensions of float64"),
        (np.array(["a"]), np.ones(1), "expected one row or a matrix of numbers"),
        (np.array([[np.nan]]), np.ones(1), "found NaN"),
        (np.array([[1e39]]), np.ones(1), "infinity or too large"),
    ],
)
def test_what_is_refused(a, b, message):
    for compare in (cosine, cosine_pairwise):
        with pytest.raises(InputError, match=message):
            compare(a, b)


def test_pairs_need_as_many_rows():
    with pytest.raises(InputError, match="found 2, 3"):
        cosine_pairwise(np.ones((2, 4)), np.ones((3, 4)))
