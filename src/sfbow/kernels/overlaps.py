"""What two rows of float32 share."""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.compiled import helper

F32Array = NDArray[np.float32]


@helper(reorder=True)
def shared_float(a: F32Array, b: F32Array) -> float:
    """Σ min(a, b)."""
    total = np.float32(0)
    for j in range(len(a)):
        total += a[j] if a[j] < b[j] else b[j]
    return total


@helper(reorder=True)
def product_float(a: F32Array, b: F32Array) -> float:
    """Σ a · b."""
    total = np.float32(0)
    for j in range(len(a)):
        total += a[j] * b[j]
    return total
