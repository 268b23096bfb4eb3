"""Masses and shared masses are plain sums, at every size that a vector unit may cut in two."""

import numpy as np
import pytest

from sfbow import kernels

WIDTHS = [0, 1, 3, 4, 5, 15, 16, 17, 63, 64, 65, 300]
ROWS = [0, 1, 3, 4, 5, 8, 64, 65]


def random_sets(rows: int, width: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    sets = random.standard_normal((rows, width)).astype(np.float32).clip(0)
    sets[random.random(rows) < 0.2] = 0
    return sets


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("rows", ROWS)
def test_sums(rows, width):
    a, b = random_sets(5, width, 1), random_sets(rows, width, 2)
    expected = np.minimum(a[:, None], b).sum(axis=2, dtype=np.float64)
    pairs = np.full((5, rows), np.nan, np.float32)
    kernels.shared_by_pair(a, b, pairs)
    np.testing.assert_allclose(pairs, expected, rtol=1e-5)
    transposed = np.full((rows, 5), np.nan, np.float32)
    kernels.shared_by_pair(b, a, transposed)
    np.testing.assert_allclose(transposed, expected.T, rtol=1e-5)

    products = np.full((5, rows), np.nan, np.float32)
    kernels.product_by_pair(a, b, products)
    np.testing.assert_allclose(products, a.astype(np.float64) @ b.T, rtol=1e-5)

    shifted = np.roll(b, 1, axis=0)
    by_row = np.full(rows, np.nan, np.float32)
    kernels.shared_by_row(b, shifted, by_row)
    np.testing.assert_allclose(
        by_row, np.minimum(b, shifted).sum(axis=1, dtype=np.float64), rtol=1e-5
    )

    masses = np.full(rows, np.nan, np.float32)
    lowest = kernels.mass(b, masses)
    np.testing.assert_allclose(masses, b.sum(axis=1, dtype=np.float64), rtol=1e-5)
    assert lowest == b.min(initial=np.inf)


@pytest.mark.parametrize("place", [(0, 0), (2, 16), (4, 64)])
@pytest.mark.parametrize("value", [-1e-30, -np.inf])
def test_the_lowest_number_is_found_anywhere(place, value):
    sets = random_sets(5, 65, 3)
    sets[place] = value
    assert kernels.mass(sets, np.empty(5, np.float32)) == np.float32(value)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("column", [0, 16, 64])
def test_what_is_no_number_is_seen_in_the_mass(value, column):
    sets = random_sets(3, 65, 4)
    sets[1, column] = value
    masses = np.empty(3, np.float32)
    kernels.mass(sets, masses)
    assert np.isfinite(masses).tolist() == [True, False, True]


def test_there_is_no_other_kernel():
    with pytest.raises(AttributeError, match="no attribute 'no_kernel'"):
        kernels.no_kernel  # noqa: B018 - the look-up is the test
