"""Memberships as levels of a few bits, and the mass of each row of them."""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    BOOL,
    F32,
    IN_F32_2D,
    OUT_F32_2D,
    OUT_F64,
    OUT_I64,
    OUT_U8_2D,
    helper,
    kernel,
)
from sfbow.kernels.overlaps import product_float, shared_float

U8Array = NDArray[np.uint8]
F32Array = NDArray[np.float32]
F64Array = NDArray[np.float64]
I64Array = NDArray[np.int64]

_LARGEST = np.finfo(np.float32).max


@helper()
def _level(value: float, step: float, roots: bool, highest: float) -> int:
    """Give min(highest, round(x / step)), half up, where x is the value or its root."""
    scaled = (np.sqrt(value) if roots else value) / step
    return np.int32((scaled if scaled < highest else highest) + np.float32(0.5))


@helper()
def _is_membership(value: float) -> bool:
    return (value >= 0) & (value <= _LARGEST)


@kernel(BOOL(IN_F32_2D, F32, BOOL, OUT_U8_2D, OUT_I64))
def store_bytes(
    memberships: F32Array, step: float, roots: bool, out: U8Array, masses: I64Array
) -> bool:
    """out[i, j] = min(255, round(x / step)) where x is μ[i, j], or its root; masses[i] = Σx or Σx².

    What is left of a row becomes 0. Says whether all memberships are finite and not below 0.
    """
    size = memberships.shape[1]
    right = True
    for i in range(len(memberships)):
        total = np.int32(0)
        for j in range(size):
            value = memberships[i, j]
            right &= _is_membership(value)
            level = _level(value, step, roots, np.float32(255))
            out[i, j] = level
            total += level * level if roots else level
        out[i, size:] = 0
        masses[i] = total
    return right


@kernel(BOOL(IN_F32_2D, F32, BOOL, OUT_U8_2D, OUT_I64))
def store_nibbles(
    memberships: F32Array, step: float, roots: bool, out: U8Array, masses: I64Array
) -> bool:
    """Do the same up to 15, two levels x a byte: out[i, j] = x[j] + 16 · x[j + width of out]."""
    size, width = memberships.shape[1], out.shape[1]
    right = True
    for i in range(len(memberships)):
        total = np.int32(0)
        out[i] = 0
        for j in range(size):
            value = memberships[i, j]
            right &= _is_membership(value)
            level = _level(value, step, roots, np.float32(15))
            total += level * level if roots else level
            if j < width:
                out[i, j] = level
            else:
                out[i, j - width] |= level << 4
        masses[i] = total
    return right


@kernel(BOOL(IN_F32_2D, BOOL, OUT_F32_2D, OUT_F64), reorder=True)
def store_floats(memberships: F32Array, roots: bool, out: F32Array, masses: F64Array) -> bool:
    """out[i, j] = μ[i, j], or its root; masses[i] is what the row shares with itself."""
    size = memberships.shape[1]
    right = True
    for i in range(len(memberships)):
        for j in range(size):
            value = memberships[i, j]
            right &= _is_membership(value)
            out[i, j] = np.sqrt(value) if roots else value
        out[i, size:] = 0
        masses[i] = product_float(out[i], out[i]) if roots else shared_float(out[i], out[i])
    return right
