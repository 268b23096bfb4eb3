"""Sketches bound distances, near rows are those that a plain loop finds, rows change places."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfbow import kernels
from sfbow.duplicates.sketches import main_directions, sketches

WIDTHS = [64, 256, 320, 512]


def random_rows(count: int, width: int, seed: int = 0) -> np.ndarray:
    """Make rows of which some are near others."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 200, (1 + count // 3, width))[rng.integers(0, 1 + count // 3, count)]
    return (rows + rng.integers(0, 1 + rng.integers(0, 55, (count, 1)), rows.shape)).astype("u1")


def distances(rows: np.ndarray) -> np.ndarray:
    wide = rows.astype(np.int64)
    return np.abs(wide[:, None] - wide).sum(axis=2)


def sketched(rows, axes, signs, origins, step) -> np.ndarray:
    blocks = np.zeros((-(-len(rows) // 64), 16, 64), np.uint8)
    room = np.empty(16, np.int32)
    kernels.sketch_rows(
        rows, *(np.asarray(each, np.int32) for each in (axes, signs, origins)), step, room, blocks
    )
    return blocks.transpose(0, 2, 1).reshape(-1, 16)[: len(rows)]


@given(st.integers(0, 2**32 - 1), st.integers(1, 90), st.integers(1, 300))
def test_sketches_are_rounded_sums(seed, count, step):
    rng = np.random.default_rng(seed)
    rows = random_rows(count, 64, seed)
    axes, signs = rng.integers(0, 16, 64), rng.choice([-1, 1], 64)
    origins = rng.integers(-3000, 3000, 16)
    sums = np.zeros((count, 16), np.int64)
    np.add.at(sums.T, axes, (signs * rows.astype(np.int64)).T)
    expected = ((sums - origins) // step).clip(0, 255)
    found = sketched(rows, axes, signs, origins, step)
    np.testing.assert_array_equal(found, expected)
    limits = (distances(rows) + 16 * (step - 1)) // step
    assert (np.abs(expected[:, None] - expected).sum(axis=2) <= limits).all()


@pytest.mark.parametrize("count", [1, 2, 64, 65, 200])
@pytest.mark.parametrize("width", WIDTHS)
def test_near_rows(count, width):
    rows = random_rows(count, width)
    rng = np.random.default_rng(count)
    reaches = np.minimum(np.arange(count) + rng.integers(1, 1 + count, count), count)
    reaches = np.maximum.accumulate(reaches)
    budgets = rng.integers(0, 20 * width, count)
    blocks, limits = sketches(rows, budgets, 1)
    left, right, far = np.empty((3, len(blocks) ** 2 * 64 * 64), np.int32)
    met = np.zeros(1, np.int64)
    parents = rng.integers(0, 1 + 5 * count, count)
    number = kernels.near_rows(
        rows, blocks, reaches, budgets, limits, parents, 0, len(blocks), 0, len(blocks),
        np.empty(64, np.uint8), met, left, right, far,
    )  # fmt: skip
    of_pair = distances(rows)
    first, second = np.nonzero(np.triu(of_pair <= budgets[:, None], 1))
    within = (second < reaches[first]) & (parents[first] != parents[second])
    first, second = first[within], second[within]
    order = np.lexsort((right[:number], left[:number]))
    np.testing.assert_array_equal(left[:number][order], first)
    np.testing.assert_array_equal(right[:number][order], second)
    np.testing.assert_array_equal(far[:number][order], of_pair[first, second])
    assert number <= met[0] <= (reaches - np.arange(count) - 1).sum()


@pytest.mark.parametrize("width", WIDTHS)
def test_pairs_by_their_places(width):
    rows = random_rows(30, width)
    left, right = np.random.default_rng(1).integers(0, 30, (2, 100))
    found = np.empty((2, 100), np.int32)
    kernels.distances_of_pairs(rows, left, right, found[0])
    kernels.products_of_pairs(rows, left, right, found[1])
    wide = rows.astype(np.int64)
    np.testing.assert_array_equal(found[0], distances(rows)[left, right])
    np.testing.assert_array_equal(found[1], (wide[left] * wide[right]).sum(axis=1))


def test_no_sum_is_too_large_for_the_widest_rows():
    rows = np.full((2, 1 << 15), 255, np.uint8)
    rows[1] = 0
    found = np.empty(1, np.int32)
    kernels.distances_of_pairs(rows, np.array([0]), np.array([1]), found)
    assert found[0] == 255 << 15
    kernels.products_of_pairs(rows, np.array([0]), np.array([0]), found)
    assert found[0] == 255**2 << 15


@given(arrays(np.uint64, st.tuples(st.integers(0, 30), st.just(3)), elements=st.integers(0, 2)))
def test_rows_of_one_hash_are_equal(rows):
    hashes = np.empty(len(rows), np.uint64)
    kernels.hash_rows(rows, hashes)
    equal = (rows[:, None] == rows).all(axis=2)
    np.testing.assert_array_equal(hashes[:, None] == hashes, equal)


@given(st.permutations(range(25)))
def test_rows_change_places(order):
    rows = random_rows(25, 64)
    expected = rows[order]
    kernels.reorder_rows(rows, np.array(order), np.empty(64, np.uint8))
    np.testing.assert_array_equal(rows, expected)


@given(st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=30))
def test_joined_pairs_have_their_lowest_member_as_root(pairs):
    parents = np.arange(20)
    left, right = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
    kernels.join_pairs(left, right, parents)
    kernels.flatten(parents)
    labels = np.arange(20)
    for _ in range(20):
        for a, b in pairs:
            labels[a] = labels[b] = min(labels[a], labels[b])
    np.testing.assert_array_equal(parents, labels)


@pytest.mark.parametrize("width", [1, 5, 16, 40])
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_main_directions_are_orthonormal(rows, width):
    sample = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32)
    for given_rows in (sample, np.zeros_like(sample)):
        found = main_directions(given_rows, 16)
        assert found.shape == (width, min(width, 16))
        np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-5)
    if rows > width > 16:
        best = np.linalg.svd(sample)[1][:16]
        assert np.linalg.norm(sample @ main_directions(sample, 16)) > 0.95 * np.linalg.norm(best)
