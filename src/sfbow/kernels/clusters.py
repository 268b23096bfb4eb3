"""Points and the centres of their clusters: sums and distances, without a copy of any point."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import F64, IN_F32_2D, IN_I64, OUT_F32, kernel, read_only, writable

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Indices = NDArray[np.int64]


@kernel(types.void(IN_F32_2D, IN_I64, IN_I64, writable(F64, 2)))
def add_to_clusters(points: Floats, rows: Indices, labels: Indices, sums: Doubles) -> None:
    """sums[labels[i]] += points[i] for each i of rows."""
    for i in rows:
        label = labels[i]
        for j in range(points.shape[1]):
            sums[label, j] += points[i, j]


@kernel(types.void(IN_F32_2D, IN_I64, IN_F32_2D, IN_I64, OUT_F32), reorder=True)
def squared_distances(
    points: Floats, rows: Indices, centres: Floats, labels: Indices, out: Floats
) -> None:
    """out[k] = ‖points[rows[k]] − centres[labels[k]]‖²."""
    for k in range(len(rows)):
        total = np.float32(0)
        for j in range(points.shape[1]):
            gap = points[rows[k], j] - centres[labels[k], j]
            total += gap * gap
        out[k] = total


@kernel(F64(IN_F32_2D, IN_I64, IN_I64, read_only(F64, 2)), reorder=True)
def scatter(points: Floats, rows: Indices, labels: Indices, means: Doubles) -> float:
    """Σ ‖points[i] − means[labels[i]]‖² over the i of rows."""
    total = 0.0
    for i in rows:
        label = labels[i]
        for j in range(points.shape[1]):
            gap = points[i, j] - means[label, j]
            total += gap * gap
    return total
