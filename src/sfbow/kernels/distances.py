"""Distances between rows of levels as functions of C, for a graph engine to call.

Each takes two rows and the number of their levels. Between sets of which one is empty it is 1.
"""

import numpy as np
from numba import types

from sfbow.kernels.compiled import F32, U64, callback, helper

_ROW = types.CPointer(types.uint8)  # type: ignore[no-untyped-call]
_DISTANCE = F32(_ROW, _ROW, U64)

Pointer = np.ndarray[tuple[int], np.dtype[np.uint8]]


@helper()
def _distance(a: Pointer, b: Pointer, size: int) -> np.int32:
    """Σ|a - b|."""
    total = np.int32(0)
    for j in range(size):
        total = np.int32(total + np.int32(abs(np.int32(np.int32(a[j]) - np.int32(b[j])))))
    return total


@helper()
def _mass(a: Pointer, size: int) -> np.int32:
    """Σa."""
    total = np.int32(0)
    for j in range(size):
        total = np.int32(total + np.int32(a[j]))
    return total


@helper()
def _product(a: Pointer, b: Pointer, size: int) -> np.int32:
    """Σ a · b."""
    total = np.int32(0)
    for j in range(size):
        total = np.int32(total + np.int32(np.int32(a[j]) * np.int32(b[j])))
    return total


@callback(_DISTANCE)
def bray_curtis(a: Pointer, b: Pointer, size: int) -> np.float32:
    """Σ|a - b| / (Σa + Σb) = 1 - Dice, which puts pairs in the order of 1 - Jaccard too."""
    length = np.int64(size)
    whole = _mass(a, length) + _mass(b, length)
    return np.float32(_distance(a, b, length) / whole) if whole > 0 else np.float32(1)


@callback(_DISTANCE)
def otsuka_distance(a: Pointer, b: Pointer, size: int) -> np.float32:
    """1 - Σmin/√(Σa · Σb)."""
    length = np.int64(size)
    mass_a, mass_b = _mass(a, length), _mass(b, length)
    twice = mass_a + mass_b - _distance(a, b, length)
    if twice == 0:
        return np.float32(1)
    return np.float32(1 - 0.5 * twice / np.sqrt(np.float64(mass_a) * np.float64(mass_b)))


@callback(_DISTANCE)
def cosine_distance(a: Pointer, b: Pointer, size: int) -> np.float32:
    """1 - Σ a · b/√(Σa² · Σb²)."""
    length = np.int64(size)
    shared = _product(a, b, length)
    if shared == 0:
        return np.float32(1)
    masses = np.float64(_product(a, a, length)) * np.float64(_product(b, b, length))
    return np.float32(1 - shared / np.sqrt(masses))
