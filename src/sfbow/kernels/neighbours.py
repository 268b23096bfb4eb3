"""Numba kernels of DBSCAN: which points of two blocks are neighbours, and what that joins.

A block of pairs comes as `dots`, the float32 matrix product of its points. It settles all pairs
but those within rounding of the radius; these are computed again in double precision from the
points. So the answer is exact and does not depend on how the points were cut into blocks.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    BOOL,
    F64,
    I64,
    IN_F32,
    IN_F32_2D,
    IN_I64,
    OUT_I64,
    helper,
    kernel,
    read_only,
    writable,
)

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Indices = NDArray[np.int64]

IN_MASK = read_only(BOOL, 2)
OUT_MASK = writable(BOOL, 2)


@helper()
def _is_within(a: Floats, b: Floats, limit: float) -> bool:
    total = 0.0
    for column in range(len(a)):
        gap = np.float64(a[column]) - np.float64(b[column])
        total += gap * gap
    return total <= limit


@kernel(types.void(IN_F32_2D, IN_F32_2D, IN_F32_2D, IN_F32, IN_F32, F64, OUT_MASK))
def mark_neighbours(
    dots: Floats,
    a: Floats,
    b: Floats,
    a_squares: Floats,
    b_squares: Floats,
    limit: float,
    mask: Mask,
) -> None:
    """Set mask[i, j] to whether ‖a[i] − b[j]‖² ≤ limit; a_squares and b_squares are the ‖·‖²."""
    # A float32 product of d terms is off by at most d · 2⁻²⁴ times its operands' lengths; the
    # factor of two and the constant cover the sums around it.
    slack = np.float32((a.shape[1] + 16) * 2.0**-23)
    near = np.float32(limit)
    two = np.float32(2)
    for i in range(dots.shape[0]):
        unsure = False
        for j in range(dots.shape[1]):
            size = a_squares[i] + b_squares[j] + near
            gap = a_squares[i] + b_squares[j] - two * dots[i, j] - near
            mask[i, j] = gap <= 0
            # Written so that an overflow (NaN) counts as unsure.
            unsure |= not (abs(gap) > slack * size)
        if unsure:
            for j in range(dots.shape[1]):
                size = a_squares[i] + b_squares[j] + near
                gap = a_squares[i] + b_squares[j] - two * dots[i, j] - near
                if not (abs(gap) > slack * size):
                    mask[i, j] = _is_within(a[i], b[j], limit)


@helper()
def _root(parents: Indices, node: int) -> int:
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@kernel(types.void(IN_MASK, I64, I64, OUT_I64))
def join_neighbours(mask: Mask, first_row: int, first_column: int, parents: Indices) -> None:
    """Union-find: put neighbours into one tree, whose root is its lowest member."""
    for i in range(mask.shape[0]):
        root = _root(parents, first_row + i)
        for j in range(mask.shape[1]):
            if mask[i, j] and parents[first_column + j] != root:
                other = _root(parents, first_column + j)
                parents[max(root, other)] = min(root, other)
                root = min(root, other)


@kernel(types.void(IN_I64, IN_I64, OUT_I64))
def join_pairs(left: Indices, right: Indices, parents: Indices) -> None:
    """Union-find: put left[p] and right[p] into one tree, whose root is its lowest member."""
    for p in range(len(left)):
        a, b = _root(parents, left[p]), _root(parents, right[p])
        parents[max(a, b)] = min(a, b)


@kernel(types.void(OUT_I64))
def flatten(parents: Indices) -> None:
    """Let every node point at its root. Parents come before their children: one pass does it."""
    for node in range(len(parents)):
        parents[node] = parents[parents[node]]


@kernel(types.void(IN_MASK, IN_I64, OUT_I64))
def lower_to_neighbours(mask: Mask, labels: Indices, lowest: Indices) -> None:
    """Set lowest[i] to the lowest label among the neighbours of i, if that is lower still."""
    for i in range(mask.shape[0]):
        for j in range(mask.shape[1]):
            if mask[i, j] and labels[j] < lowest[i]:
                lowest[i] = labels[j]
