"""Pooling is the maximum of the definition, for tables of every kind."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfbow import kernels


def pooled_by_definition(table, extra, rows, bounds, counts, signed, scale):
    """μ[j] = max(0, max over w of count(w) · scale · v̌(w)[j]), in float64."""
    memberships = np.concatenate([table, extra]).astype(np.float64) * scale
    if signed:
        memberships = np.concatenate([memberships, -memberships], axis=1)
    counts = counts if len(counts) else np.ones(len(rows))
    result = np.zeros((len(bounds) - 1, memberships.shape[1]))
    for i, (start, end) in enumerate(pairwise(bounds)):
        for row, count in zip(rows[start:end], counts[start:end], strict=True):
            result[i] = np.maximum(result[i], count * memberships[row])
    return result


def make_table(random, rows, width, dtype):
    if dtype is np.int8:
        return random.integers(-127, 128, (rows, width)).astype(np.int8)
    return random.standard_normal((rows, width)).astype(np.float32)


@given(
    st.integers(0, 2**32),
    st.sampled_from([1, 3, 8, 17, 64]),
    st.sampled_from([np.float32, np.int8]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1.0, 0.25, 0.0123]),
    st.lists(st.integers(0, 9), max_size=6),
)
def test_pool(seed, width, dtype, signed, counted, scale, lengths):
    random = np.random.default_rng(seed)
    table = make_table(random, 7, width, dtype)
    extra = make_table(random, int(random.integers(0, 3)), width, dtype)
    bounds = np.cumsum([0, *lengths])
    rows = random.integers(0, len(table) + len(extra), bounds[-1]).astype(np.int32)
    counts = random.integers(1, 5, len(rows) if counted else 0).astype(np.int32)
    out = np.full((len(lengths), width * (2 if signed else 1)), np.nan, np.float32)
    kernels.pool(table, extra, rows, bounds, counts, signed, scale, out)
    expected = pooled_by_definition(table, extra, rows, bounds, counts, signed, np.float32(scale))
    np.testing.assert_allclose(out, expected, rtol=3e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.int8])
def test_the_lowest_and_the_largest_memberships(dtype):
    limits = (-127, 127) if dtype is np.int8 else (-3.4e38, 3.4e38)
    table = np.array([limits], dtype)
    out = np.empty((1, 4), np.float32)
    no_counts = np.empty(0, np.int32)
    kernels.pool(
        table, table[:0], np.zeros(1, np.int32), np.array([0, 1]), no_counts, True, 1.0, out
    )
    np.testing.assert_array_equal(out, np.float32([[0, limits[1], -limits[0], 0]]))


def test_rows_may_begin_anywhere():
    """As in a batch that is a part of a larger one."""
    table = np.eye(3, dtype=np.float32)
    rows = np.array([0, 1, 2], np.int32)
    out = np.empty((1, 3), np.float32)
    kernels.pool(table, table[:0], rows, np.array([1, 3]), np.empty(0, np.int32), False, 1.0, out)
    assert out.tolist() == [[0, 1, 1]]


def test_read_only_tables_are_welcome():
    table = np.eye(2, dtype=np.float32)
    table.flags.writeable = False
    out = np.empty((1, 2), np.float32)
    kernels.pool(
        table, table[:0], np.ones(1, np.int32), np.array([0, 1]), np.empty(0, np.int32), False,
        1.0, out,
    )  # fmt: skip
    assert out.tolist() == [[0, 1]]
