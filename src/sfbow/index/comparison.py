"""What rows share with rows, and the score that a measure makes of it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.index.levels import Levels, Masses, Stored
from sfbow.measures import Measure

Shared = NDArray[Any]  # of int32, or of float32

# How the ranking kernels name the formulas. Otsuka and Hellinger's affinity have the same one.
_KINDS: dict[Measure, int] = {"jaccard": 0, "dice": 1, "otsuka": 2, "hellinger": 2}


def kind_of(measure: Measure) -> int:
    """Give the number of the formula that makes a score of what is shared and two masses."""
    return _KINDS[measure]


def shared_dtype(levels: Levels) -> np.dtype[Any]:
    """Give the type of sums of levels."""
    return np.dtype(np.float32 if levels.storage == "float32" else np.int32)


def fill_shared(levels: Levels, rows: Stored, queries: Stored, out: Shared) -> None:
    """out[q, i] = Σmin of queries q and rows i, or of roots Σ of the products.

    Both are as `Levels.unpacked` gives them.
    """
    if levels.storage == "float32":
        kernels.shared_floats(rows.rows, queries.rows, levels.has_roots, out)
    elif levels.has_roots:
        kernels.product_bytes(rows.rows, queries.rows, out)
    else:
        kernels.shared_bytes(*rows, *queries, out)


def row_weights(levels: Levels, masses: NDArray[np.float64]) -> NDArray[np.float32]:
    """Give the mass of each row, for cosines its root, as the ranking kernels want it."""
    is_cosine = levels.measure in ("otsuka", "hellinger")
    return (np.sqrt(masses) if is_cosine else masses).astype(np.float32)


def least_ratio(measure: Measure, floors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the ratio of masses, smaller to larger, below which no score reaches a floor.

    Σmin is at most the smaller mass, so J ≤ ratio, Dice ≤ 2 ratio/(1 + ratio), Otsuka ≤ √ratio.
    Hellinger's affinity knows no such limit.
    """
    almost = floors * (1 - 1e-5)  # as sums of float32 are rounded
    if measure == "jaccard":
        return almost
    if measure == "dice":
        return almost / (2 - almost)
    return almost**2 if measure == "otsuka" else np.zeros(len(floors))


def scores(levels: Levels, a: Stored, b: Stored) -> NDArray[np.float64]:
    """Compare each row of ``a`` with each row of ``b``: exact scores, len(a) × len(b)."""
    shared = np.empty((len(a.rows), len(b.rows)), shared_dtype(levels))
    fill_shared(levels, levels.unpacked(b), levels.unpacked(a), shared)
    return exact_scores(levels.measure, shared, a.masses[:, None], b.masses)


def exact_scores(
    measure: Measure, shared: Shared, mass_a: Masses, mass_b: Masses
) -> NDArray[np.float64]:
    """Make scores of what is shared and two masses, as the ranking kernels do."""
    mass_a, mass_b = mass_a.astype(np.float64), mass_b.astype(np.float64)
    if measure == "jaccard":
        whole = mass_a + mass_b - shared
    elif measure == "dice":
        shared, whole = 2 * shared, mass_a + mass_b
    else:
        whole = np.sqrt(mass_a * mass_b)
    ratio: NDArray[np.float64] = np.zeros(shared.shape)
    np.divide(shared, whole, out=ratio, where=shared > 0)
    return np.minimum(ratio, 1, out=ratio)
