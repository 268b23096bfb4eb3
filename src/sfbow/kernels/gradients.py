"""The gradient of what fuzzy sets share, to train memberships."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import BOOL, IN_F32_2D, OUT_F32_2D, kernel

F32Array = NDArray[np.float32]


@kernel(types.void(IN_F32_2D, IN_F32_2D, IN_F32_2D, BOOL, OUT_F32_2D), reorder=True)
def shared_gradient(a: F32Array, b: F32Array, weights: F32Array, ties: bool, out: F32Array) -> None:
    """out[i, j] = Σ_k weights[i, k] · [a[i, j] < b[k, j]], or ≤ with ``ties``."""
    out[:] = 0
    for i in range(len(a)):
        for k in range(len(b)):
            weight = weights[i, k]
            if ties:
                for j in range(a.shape[1]):
                    out[i, j] += weight if a[i, j] <= b[k, j] else np.float32(0)
            else:
                for j in range(a.shape[1]):
                    out[i, j] += weight if a[i, j] < b[k, j] else np.float32(0)
