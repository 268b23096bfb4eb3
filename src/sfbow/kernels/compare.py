"""Compare memberships: the size of a fuzzy set, and of what two of them share."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import F32, IN_F32_2D, OUT_F32, OUT_F32_2D, kernel
from sfbow.kernels.overlaps import product_float, shared_float

F32Array = NDArray[np.float32]


@kernel(F32(IN_F32_2D, OUT_F32), reorder=True)
def mass(vectors: F32Array, out: F32Array) -> float:
    """out[i] = Σ vectors[i]; give the smallest number of all."""
    lowest = np.float32(np.inf)
    for i in range(len(vectors)):
        out[i] = shared_float(vectors[i], vectors[i])
        for j in range(vectors.shape[1]):
            lowest = vectors[i, j] if vectors[i, j] < lowest else lowest
    return lowest


@kernel(types.void(IN_F32_2D, IN_F32_2D, OUT_F32), reorder=True)
def shared_by_row(a: F32Array, b: F32Array, out: F32Array) -> None:
    """out[i] = Σ min(a[i], b[i])."""
    for i in range(len(a)):
        out[i] = shared_float(a[i], b[i])


@kernel(types.void(IN_F32_2D, IN_F32_2D, OUT_F32_2D), reorder=True)
def shared_by_pair(a: F32Array, b: F32Array, out: F32Array) -> None:
    """out[i, k] = Σ min(a[i], b[k])."""
    size = a.shape[1]
    blocks = len(b) // 4 * 4
    for k in range(0, blocks, 4):
        for i in range(len(a)):
            s0 = s1 = s2 = s3 = np.float32(0)
            for j in range(size):
                x = a[i, j]
                s0 += x if x < b[k, j] else b[k, j]
                s1 += x if x < b[k + 1, j] else b[k + 1, j]
                s2 += x if x < b[k + 2, j] else b[k + 2, j]
                s3 += x if x < b[k + 3, j] else b[k + 3, j]
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = s0, s1, s2, s3
    for k in range(blocks, len(b)):
        for i in range(len(a)):
            out[i, k] = shared_float(a[i], b[k])


@kernel(types.void(IN_F32_2D, IN_F32_2D, OUT_F32_2D), reorder=True)
def product_by_pair(a: F32Array, b: F32Array, out: F32Array) -> None:
    """out[i, k] = Σ a[i] · b[k]."""
    size = a.shape[1]
    blocks = len(b) // 4 * 4
    for k in range(0, blocks, 4):
        for i in range(len(a)):
            s0 = s1 = s2 = s3 = np.float32(0)
            for j in range(size):
                x = a[i, j]
                s0 += x * b[k, j]
                s1 += x * b[k + 1, j]
                s2 += x * b[k + 2, j]
                s3 += x * b[k + 3, j]
            out[i, k], out[i, k + 1], out[i, k + 2], out[i, k + 3] = s0, s1, s2, s3
    for k in range(blocks, len(b)):
        for i in range(len(a)):
            out[i, k] = product_float(a[i], b[k])
