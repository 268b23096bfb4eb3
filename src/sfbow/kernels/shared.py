"""What stored rows share with queries: Σmin of their levels, or of roots Σ of the products.

A tile of rows stays in a core's cache while all queries pass over it, four at a time. Sums of 32
bits, and no wider, are what compilers turn into instructions for bytes: differences of 64 levels in
one, products of 32.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    BOOL,
    I32,
    IN_F32_2D,
    IN_I64,
    IN_U8_2D,
    OUT_F32_2D,
    OUT_U8_2D,
    helper,
    kernel,
    writable,
)
from sfbow.kernels.overlaps import product_float, shared_float

U8Array = NDArray[np.uint8]
F32Array = NDArray[np.float32]
I64Array = NDArray[np.int64]
I32Array = NDArray[np.int32]

_OUT_I32_2D = writable(I32, 2)
_TILE = 1 << 17  # bytes of the rows of a tile
_LOW = np.uint8(15)


@helper()
def _plus_distance(total: np.int32, x: np.uint8, y: np.uint8) -> np.int32:
    """Give total + |x - y|."""
    return np.int32(total + np.int32(abs(np.int32(np.int32(x) - np.int32(y)))))


@helper()
def _plus_product(total: np.int32, x: np.uint8, y: np.uint8) -> np.int32:
    """Give total + x · y."""
    return np.int32(total + np.int32(np.int32(x) * np.int32(y)))


@kernel(types.void(IN_U8_2D, IN_I64, IN_U8_2D, IN_I64, _OUT_I32_2D))
def shared_bytes(
    rows: U8Array,
    row_masses: I64Array,
    queries: U8Array,
    query_masses: I64Array,
    out: I32Array,
) -> None:
    """out[q, i] = Σ min(queries[q], rows[i]) = (Σqueries[q] + Σrows[i] - Σ|difference|) / 2."""
    width = rows.shape[1]
    height = max(1, _TILE // width)
    fours = len(queries) // 4 * 4
    for start in range(0, len(rows), height):
        end = min(start + height, len(rows))
        for q in range(0, fours, 4):
            for i in range(start, end):
                a = b = c = d = np.int32(0)
                for j in range(width):
                    x = rows[i, j]
                    a = _plus_distance(a, x, queries[q, j])
                    b = _plus_distance(b, x, queries[q + 1, j])
                    c = _plus_distance(c, x, queries[q + 2, j])
                    d = _plus_distance(d, x, queries[q + 3, j])
                mass = row_masses[i]
                out[q, i] = (query_masses[q] + mass - a) >> 1
                out[q + 1, i] = (query_masses[q + 1] + mass - b) >> 1
                out[q + 2, i] = (query_masses[q + 2] + mass - c) >> 1
                out[q + 3, i] = (query_masses[q + 3] + mass - d) >> 1
        for q in range(fours, len(queries)):
            for i in range(start, end):
                total = np.int32(0)
                for j in range(width):
                    total = _plus_distance(total, rows[i, j], queries[q, j])
                out[q, i] = (query_masses[q] + row_masses[i] - total) >> 1


@kernel(types.void(IN_U8_2D, IN_U8_2D, _OUT_I32_2D))
def product_bytes(rows: U8Array, queries: U8Array, out: I32Array) -> None:
    """out[q, i] = Σ queries[q] · rows[i]."""
    width = rows.shape[1]
    height = max(1, _TILE // width)
    fours = len(queries) // 4 * 4
    for start in range(0, len(rows), height):
        end = min(start + height, len(rows))
        for q in range(0, fours, 4):
            for i in range(start, end):
                a = b = c = d = np.int32(0)
                for j in range(width):
                    x = rows[i, j]
                    a = _plus_product(a, x, queries[q, j])
                    b = _plus_product(b, x, queries[q + 1, j])
                    c = _plus_product(c, x, queries[q + 2, j])
                    d = _plus_product(d, x, queries[q + 3, j])
                out[q, i], out[q + 1, i], out[q + 2, i], out[q + 3, i] = a, b, c, d
        for q in range(fours, len(queries)):
            for i in range(start, end):
                total = np.int32(0)
                for j in range(width):
                    total = _plus_product(total, rows[i, j], queries[q, j])
                out[q, i] = total


@kernel(types.void(IN_F32_2D, IN_F32_2D, BOOL, OUT_F32_2D), reorder=True)
def shared_floats(rows: F32Array, queries: F32Array, roots: bool, out: F32Array) -> None:
    """out[q, i] = Σ min(queries[q], rows[i]), or with roots Σ queries[q] · rows[i].

    Pairs are added up one by one, so that a pair's sum is the same wherever it stands.
    """
    height = max(1, _TILE // (4 * rows.shape[1]))
    for start in range(0, len(rows), height):
        for q in range(len(queries)):
            for i in range(start, min(start + height, len(rows))):
                if roots:
                    out[q, i] = product_float(queries[q], rows[i])
                else:
                    out[q, i] = shared_float(queries[q], rows[i])


@kernel(types.void(IN_U8_2D, OUT_U8_2D))
def unpack(packed: U8Array, out: U8Array) -> None:
    """Write levels of 4 bits as bytes: the low half of each byte, behind all of them the high."""
    width = packed.shape[1]
    for i in range(len(packed)):
        for j in range(width):
            out[i, j] = packed[i, j] & _LOW
            out[i, width + j] = packed[i, j] >> 4
