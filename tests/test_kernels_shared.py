"""What levels share is a plain sum of whole numbers, at every size and for every remainder."""

import numpy as np
import pytest

from sfbow import kernels


def random_rows(rows: int, width: int, seed: int, highest: int = 255) -> np.ndarray:
    random = np.random.default_rng(seed)
    levels = random.integers(0, highest + 1, (rows, width), dtype=np.uint8)
    levels[random.random(rows) < 0.2] = 0
    levels[random.random(rows) < 0.2] = highest
    return levels


def masses(rows: np.ndarray) -> np.ndarray:
    return rows.sum(axis=1, dtype=np.int64)


@pytest.mark.parametrize("width", [64, 128, 512, 576])
@pytest.mark.parametrize("rows", [0, 1, 3, 300, 3000])
@pytest.mark.parametrize("queries", [0, 1, 4, 7])
def test_sums_of_bytes(width, rows, queries):
    a, b = random_rows(rows, width, 1), random_rows(queries, width, 2)
    out = np.full((queries, rows), -1, np.int32)
    kernels.shared_bytes(a, masses(a), b, masses(b), out)
    for q in range(queries):
        np.testing.assert_array_equal(out[q], np.minimum(a, b[q]).sum(axis=1, dtype=np.int64))
    kernels.product_bytes(a, b, out)
    np.testing.assert_array_equal(out, b.astype(np.int64) @ a.T.astype(np.int64))


def test_the_largest_sums_fit():
    rows = np.full((5, 1 << 15), 255, np.uint8)
    out = np.empty((5, 5), np.int32)
    kernels.product_bytes(rows, rows, out)
    assert (out == 255 * 255 << 15).all()
    kernels.shared_bytes(rows, masses(rows), rows, masses(rows), out)
    assert (out == 255 << 15).all()


@pytest.mark.parametrize("width", [16, 64, 608])
@pytest.mark.parametrize("queries", [0, 1, 4, 7])
def test_sums_of_floats(width, queries):
    random = np.random.default_rng(0)
    a, b = (random.random((n, width), dtype=np.float32) for n in (70, queries))
    out = np.empty((queries, 70), np.float32)
    kernels.shared_floats(a, b, False, out)
    np.testing.assert_allclose(out, np.minimum(b[:, None], a).sum(axis=2), rtol=1e-5)
    kernels.shared_floats(a, b, True, out)
    np.testing.assert_allclose(out, b @ a.T, rtol=1e-5)


def test_a_sum_of_floats_does_not_depend_on_its_place():
    row = np.random.default_rng(0).random((1, 48), dtype=np.float32)
    rows = np.repeat(row, 9000, axis=0)
    out = np.empty((5, len(rows)), np.float32)
    for roots in (False, True):
        kernels.shared_floats(rows, rows[:5], roots, out)
        assert len(np.unique(out)) == 1


def test_unpacking():
    packed = random_rows(5, 64, 0)
    out = np.empty((5, 128), np.uint8)
    kernels.unpack(packed, out)
    np.testing.assert_array_equal(out, np.hstack([packed % 16, packed // 16]))
