"""How much two fuzzy sets have in common: Jaccard, Otsuka, Dice, Hellinger's affinity.

All of them need only the masses Σa, Σb and what is shared: Σmin(a, b), as
Σmin(a, b) + Σmax(a, b) = Σa + Σb, or for Hellinger's affinity Σ√(a · b), which makes it the cosine
of the square roots. Where both sets are empty the similarity is 0: a text without a known word
resembles nothing.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import InputError, OptionError
from sfbow.parallel import map_ordered, thread_count
from sfbow.slices import row_slices

MinimumMeasure = Literal["jaccard", "otsuka", "dice"]  # those of Σmin
Measure = Literal["jaccard", "otsuka", "dice", "hellinger"]
Floats = NDArray[np.float32]
Numbers = TypeVar("Numbers", NDArray[np.float32], NDArray[np.float64])

_LARGEST = np.finfo(np.float32).max / 2  # mass of a set, so that two together are finite
_ROWS = 64  # of a block of the similarity matrix: they stay in a core's cache


def jaccard(shared: Floats, mass_a: Floats, mass_b: Floats) -> Floats:
    """Σmin / Σmax = Σmin / (Σa + Σb - Σmin)."""
    return _ratio(shared, mass_a + mass_b - shared)


def otsuka(shared: Floats, mass_a: Floats, mass_b: Floats) -> Floats:
    """Σmin / √(Σa · Σb); Hellinger's affinity is the same of Σ√(a · b)."""
    # In float64, so that a set is like itself to the last bit.
    root_a, root_b = (np.sqrt(mass, dtype=np.float64) for mass in (mass_a, mass_b))
    return _ratio(shared, (root_a * root_b).astype(np.float32))


def dice(shared: Floats, mass_a: Floats, mass_b: Floats) -> Floats:
    """2 Σmin / (Σa + Σb)."""
    return _ratio(2 * shared, mass_a + mass_b)


def _ratio(part: Floats, whole: Floats) -> Floats:
    ratio = np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
    return np.minimum(ratio, 1, out=ratio)


MEASURES: dict[MinimumMeasure, Callable[[Floats, Floats, Floats], Floats]] = {
    "jaccard": jaccard,
    "otsuka": otsuka,
    "dice": dice,
}


def check_measure(measure: Measure) -> None:
    """Refuse what is no measure."""
    if measure not in get_args(Measure):
        raise OptionError("measure", expected=" or ".join(get_args(Measure)), found=measure)


def measure_function(measure: MinimumMeasure) -> Callable[[Floats, Floats, Floats], Floats]:
    """Find a measure of Σmin by its name."""
    if measure not in MEASURES:
        raise OptionError("measure", expected=" or ".join(MEASURES), found=measure)
    return MEASURES[measure]


def shared_by_axis(a: Numbers, b: Numbers, measure: Measure) -> Numbers:
    """Give what two sets share on each axis: the terms of the sum that the measure takes."""
    if measure == "hellinger":
        return np.sqrt(a) * np.sqrt(b)
    return np.minimum(a, b)


def similarity(
    a: NDArray[Any], b: NDArray[Any], *, measure: Measure = "otsuka", threads: int | None = None
) -> Floats:
    """Compare each row of ``a`` with each row of ``b``: a matrix of len(a) × len(b)."""
    check_measure(measure)
    a, b = _memberships(a, b)
    mass_a, mass_b = _mass(a), _mass(b)
    result = np.empty((len(a), len(b)), np.float32)
    roots = np.sqrt(b).T if measure == "hellinger" else None
    compare = otsuka if measure == "hellinger" else MEASURES[measure]

    def fill(start: int) -> None:
        rows = slice(start, start + _ROWS)
        if roots is not None:
            np.matmul(np.sqrt(a[rows]), roots, out=result[rows])
        else:
            kernels.shared_by_pair(a[rows], b, result[rows])
        result[rows] = compare(result[rows], mass_a[rows, None], mass_b)

    for _ in map_ordered(fill, range(0, len(a), _ROWS), thread_count(threads)):
        pass
    return result


def similarity_pairwise(a: NDArray[Any], b: NDArray[Any], *, measure: Measure = "otsuka") -> Floats:
    """Compare each row of ``a`` with the same row of ``b``."""
    check_measure(measure)
    a, b = _memberships(a, b)
    if len(a) != len(b):
        raise InputError(
            f"memberships: expected as many rows twice, found {len(a)} and {len(b)}; "
            "give pairs, or use similarity for all with all"
        )
    mass_a, mass_b = _mass(a), _mass(b)
    if measure == "hellinger":
        # Masses are summed as what is shared is, so that a set is like itself to the last bit.
        return otsuka(_affinity(a, b), _affinity(a, a), _affinity(b, b))
    shared = np.empty(len(a), np.float32)
    kernels.shared_by_row(a, b, shared)
    return MEASURES[measure](shared, mass_a, mass_b)


def _affinity(a: Floats, b: Floats) -> Floats:
    """Σ√(a · b) of each row with the same row."""
    sums = np.empty(len(a), np.float32)
    for rows in row_slices(*a.shape):
        sums[rows] = shared_by_axis(a[rows], b[rows], "hellinger").sum(axis=1)
    return sums


def _memberships(a: NDArray[Any], b: NDArray[Any]) -> tuple[Floats, Floats]:
    """Check at the border: rows of float32, all of one width."""
    left, right = _rows(a), _rows(b)
    if left.shape[1] != right.shape[1]:
        widths = f"{left.shape[1]} and {right.shape[1]}"
        raise InputError(
            f"memberships: expected rows of one width, found {widths}; encode both with one model"
        )
    return left, right


def _rows(array: NDArray[Any]) -> Floats:
    array = np.asarray(array)
    if array.dtype.kind not in "fiu" or array.ndim not in (1, 2):
        found = f"{array.ndim} dimensions of {array.dtype}"
        raise InputError(
            f"memberships: expected one row or a matrix of numbers, found {found}; "
            "give what encode returns"
        )
    with np.errstate(over="ignore"):  # `_mass` refuses infinity
        return np.ascontiguousarray(np.atleast_2d(array), np.float32)


def _mass(vectors: Floats) -> Floats:
    masses = np.empty(len(vectors), np.float32)
    lowest = kernels.mass(vectors, masses)
    if not (lowest >= 0 and (masses <= _LARGEST).all()):
        raise InputError(
            "memberships: expected numbers from 0 up, found negative ones, NaN or too large ones; "
            "give what encode returns"
        )
    return masses
