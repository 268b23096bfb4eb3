"""Compare two sentences as fuzzy sets over a universe of their own words."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    IN_F32_2D,
    IN_I32,
    IN_I64,
    OUT_F32,
    OUT_F32_2D,
    helper,
    kernel,
)
from sfbow.kernels.overlaps import product_float

F32Array = NDArray[np.float32]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]


@helper()
def _raise(memberships: F32Array, place: int, value: float) -> None:
    if value > memberships[place]:
        memberships[place] = value


@kernel(
    types.void(
        IN_F32_2D, IN_I32, IN_I64, IN_F32_2D, IN_I32, IN_I64,
        OUT_F32_2D, OUT_F32, OUT_F32, OUT_F32,
    ),
    reorder=True,
)  # fmt: skip
def overlap_in_own_universe(
    a: F32Array,
    a_rows: I32Array,
    a_bounds: I64Array,
    b: F32Array,
    b_rows: I32Array,
    b_bounds: I64Array,
    room: F32Array,
    shared: F32Array,
    mass_a: F32Array,
    mass_b: F32Array,
) -> None:
    """μ_S[u] = max(0, max over the words w of S of w · u), u: all words of A and then of B.

    shared[i] = Σ min(μ_A, μ_B), mass_a[i] = Σ μ_A and mass_b[i] = Σ μ_B of pair i, whose words
    are ``a[a_rows[a_bounds[i]:a_bounds[i + 1]]]`` and those of b alike. ``room`` has a row for
    each of μ_A and μ_B, as long as the longest pair.
    """
    for i in range(len(a_bounds) - 1):
        a_first, b_first = a_bounds[i], b_bounds[i]
        a_count = a_bounds[i + 1] - a_first
        size = a_count + b_bounds[i + 1] - b_first
        room[:, :size] = 0
        for j in range(size):
            side = 0 if j < a_count else 1
            u = a[a_rows[a_first + j]] if side == 0 else b[b_rows[b_first + j - a_count]]
            # u · w is w · u: each product of a pair is taken once.
            for k in range(j, size):
                other = 0 if k < a_count else 1
                w = a[a_rows[a_first + k]] if other == 0 else b[b_rows[b_first + k - a_count]]
                product = product_float(u, w)
                _raise(room[side], k, product)
                _raise(room[other], j, product)
        s = m = n = np.float32(0)
        for j in range(size):
            x, y = room[0, j], room[1, j]
            s += x if x < y else y
            m += x
            n += y
        shared[i], mass_a[i], mass_b[i] = s, m, n
