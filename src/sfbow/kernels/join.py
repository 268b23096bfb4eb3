"""Find the pairs of rows that are near each other: each row with all that follow it.

Rows are levels of 8 bits whose distance is Σ|a - b|. Before it is added up, 16 bytes of each row,
its sketch, tell that most pairs are too far apart. The sketches of 64 rows lie together, number
after number, so that one instruction takes the same number of all of them.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    I32,
    I64,
    IN_I32,
    IN_I64,
    IN_U8,
    IN_U8_2D,
    OUT_I32,
    OUT_I64,
    OUT_U8,
    helper,
    kernel,
    read_only,
    writable,
)

NUMBERS, ROWS = 16, 64  # of a sketch, and of a block of sketches

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]

_SKETCHES = read_only(types.uint8, 3)
_MOST = np.uint8(255)
_PART = 256  # levels after which a distance may be too large already


@kernel(types.void(IN_U8_2D, IN_I32, IN_I32, IN_I32, I32, OUT_I32, writable(types.uint8, 3)))
def sketch_rows(
    rows: U8Array,
    axes: I32Array,
    signs: I32Array,
    origins: I32Array,
    step: int,
    sums: I32Array,
    out: U8Array,
) -> None:
    """Set number g of row i to (Σ signs[j] · rows[i, j] - origins[g]) / step, j where axes[j] = g.

    It is rounded down and kept from 0 to 255. ``sums`` is room for 16 numbers.
    """
    for i in range(len(rows)):
        for g in range(NUMBERS):
            sums[g] = -origins[g]
        for j in range(len(axes)):
            sums[axes[j]] += signs[j] * np.int32(rows[i, j])
        for g in range(NUMBERS):
            number = sums[g] // step if sums[g] > 0 else 0
            out[i // ROWS, g, i % ROWS] = number if number < 255 else 255


@helper()
def _sketch_distance(a: U8Array, i: int, b: U8Array, k: int) -> int:
    """Give min(255, Σ|a[:, i] - b[:, k]|)."""
    total = np.uint8(0)
    for g in range(NUMBERS):
        x, y = a[g, i], b[g, k]
        gap = np.uint8(max(x, y) - min(x, y))
        total = np.uint8(total + min(gap, np.uint8(_MOST - total)))
    return total


@helper()
def _gap(x: int, y: int) -> int:
    """Give |x - y|. In 32 bits, as their sums, it is what vector units have an instruction for."""
    return np.int32(abs(np.int32(np.int32(x) - np.int32(y))))


@helper()
def _distance(a: U8Array, b: U8Array, budget: int) -> int:
    """Give Σ|a - b|, or a part of it that exceeds the budget."""
    total = np.int32(0)
    whole = len(a) // _PART * _PART
    for start in range(0, whole, _PART):
        for j in range(_PART):
            total = np.int32(total + _gap(a[start + j], b[start + j]))
        if total > budget:
            return total
    for j in range(whole, len(a)):
        total = np.int32(total + _gap(a[j], b[j]))
    return total


@kernel(
    I64(
        IN_U8_2D,
        _SKETCHES,
        IN_I64,
        IN_I64,
        IN_U8,
        IN_I64,
        I64,
        I64,
        I64,
        I64,
        OUT_U8,
        OUT_I64,
        OUT_I32,
        OUT_I32,
        OUT_I32,
    )
)
def near_rows(
    rows: U8Array,
    sketches: U8Array,
    reaches: I64Array,
    budgets: I64Array,
    limits: U8Array,
    parents: I64Array,
    first: int,
    last: int,
    start: int,
    stop: int,
    gaps: U8Array,
    met: I64Array,
    left: I32Array,
    right: I32Array,
    distances: I32Array,
) -> int:
    """List the pairs i < k < reaches[i] with a distance of at most budgets[i]; give their number.

    i is in the blocks from ``first`` to before ``last``, k in those from ``start`` to ``stop``. No
    such pair has sketches farther apart than limits[i]; reaches rise. Pairs of one parent are left
    out. ``gaps`` is room for 64 distances; met[0] counts the pairs whose distance is added up.
    """
    count = 0
    for other in range(start, stop):
        b = sketches[other]
        for block in range(first, min(last, other + 1)):
            a = sketches[block]
            height = min(ROWS, len(rows) - block * ROWS)
            if reaches[block * ROWS + height - 1] <= other * ROWS:
                continue
            for place in range(height):
                i = block * ROWS + place
                nearest = _MOST
                for lane in range(ROWS):
                    nearest = min(nearest, _sketch_distance(a, place, b, lane))
                if nearest > limits[i]:
                    continue
                for lane in range(ROWS):
                    gaps[lane] = _sketch_distance(a, place, b, lane)
                for lane in range(ROWS):
                    k = other * ROWS + lane
                    if gaps[lane] > limits[i] or k <= i or k >= reaches[i]:
                        continue
                    if parents[i] == parents[k]:
                        continue
                    met[0] += 1
                    distance = _distance(rows[i], rows[k], budgets[i])
                    if distance <= budgets[i]:
                        left[count], right[count], distances[count] = i, k, distance
                        count += 1
    return count


@kernel(types.void(IN_U8_2D, IN_I64, IN_I64, OUT_I32))
def distances_of_pairs(rows: U8Array, left: I64Array, right: I64Array, out: I32Array) -> None:
    """out[p] = Σ|rows[left[p]] - rows[right[p]]|."""
    for p in range(len(left)):
        a, b = rows[left[p]], rows[right[p]]
        total = np.int32(0)
        for j in range(len(a)):
            total = np.int32(total + _gap(a[j], b[j]))
        out[p] = total


@kernel(types.void(IN_U8_2D, IN_I64, IN_I64, OUT_I32))
def products_of_pairs(rows: U8Array, left: I64Array, right: I64Array, out: I32Array) -> None:
    """out[p] = Σ rows[left[p]] · rows[right[p]]."""
    for p in range(len(left)):
        a, b = rows[left[p]], rows[right[p]]
        total = np.int32(0)
        for j in range(len(a)):
            total = np.int32(total + np.int32(np.int32(a[j]) * np.int32(b[j])))
        out[p] = total
