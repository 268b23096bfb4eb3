"""Scores from what is shared, and the best of them.

A score is one division of integers that float64 holds exactly: by IEEE 754 it is the same on every
machine. Of equal scores the lower number is the better.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    F32,
    F64,
    I32,
    I64,
    IN_F32,
    IN_F64,
    IN_I64,
    OUT_F64,
    OUT_I32,
    helper,
    kernel,
    read_only,
    writable,
)

JACCARD, DICE, COSINE = 0, 1, 2

Shared = NDArray[np.int32] | NDArray[np.float32]
F32Array = NDArray[np.float32]
F64Array = NDArray[np.float64]
I64Array = NDArray[np.int64]
I32Array = NDArray[np.int32]

_SHARED = tuple(read_only(scalar, 2) for scalar in (I32, F32))
_OUT_F64_2D, _OUT_I64_2D = writable(F64, 2), writable(I64, 2)
_GROUP = 256  # rows that are looked at together
_SLACK = np.float32(1 - 1e-6)  # so that rounding in a bound leaves nothing out


@helper()
def _score(shared: float, a: float, b: float, kind: int) -> float:
    """Give Σmin/Σmax, 2 Σmin/(Σa + Σb) or Σ/√(Σa · Σb); 0 where nothing is shared."""
    if not shared > 0:
        return 0.0
    if kind == JACCARD:
        return min(1.0, shared / (a + b - shared))
    if kind == DICE:
        return min(1.0, 2 * shared / (a + b))
    return min(1.0, shared / np.sqrt(a * b))


@helper()
def _bound(floor: float, a: float, kind: int) -> tuple[float, float]:
    """Give f and g, so that a score reaches the floor only where shared ≥ f · (g + weight)."""
    if kind == JACCARD:
        return np.float32(floor / (1 + floor)) * _SLACK, np.float32(a)
    if kind == DICE:
        return np.float32(floor / 2) * _SLACK, np.float32(a)
    return np.float32(floor * np.sqrt(a)) * _SLACK, np.float32(0)


@helper()
def _reaches(shared: float, weight: float, factor: float, offset: float) -> bool:
    return np.float32(shared) >= factor * (offset + weight)


@helper()
def _next(shared: Shared, weights: F32Array, place: int, factor: float, offset: float) -> int:
    """Give the first place from this one on that reaches a bound, or how many there are.

    Places are looked at in groups, which vector units do.
    """
    while place < len(weights):
        end = min(place + _GROUP, len(weights))
        count = np.int32(0)
        for i in range(place, end):
            count += np.int32(_reaches(shared[i], weights[i], factor, offset))
        if count > 0:
            break
        place = end
    while place < len(weights) and not _reaches(shared[place], weights[place], factor, offset):
        place += 1
    return place


@helper()
def _is_worse(score: float, number: int, other: float, other_number: int) -> bool:
    return score < other or (score == other and number > other_number)


@helper()
def _replace_worst(scores: F64Array, numbers: I64Array, score: float, number: int) -> None:
    """Replace the root of a heap, whose every parent is worse than its children."""
    place = 0
    while True:
        child = 2 * place + 1
        if child >= len(scores):
            break
        right = child + 1
        if right < len(scores) and _is_worse(
            scores[right], numbers[right], scores[child], numbers[child]
        ):
            child = right
        if not _is_worse(scores[child], numbers[child], score, number):
            break
        scores[place], numbers[place] = scores[child], numbers[child]
        place = child
    scores[place], numbers[place] = score, number


@kernel(
    *(
        types.void(shared, IN_F32, IN_F64, IN_I64, IN_F64, I64, _OUT_F64_2D, _OUT_I64_2D)
        for shared in _SHARED
    )
)
def keep_best(
    shared: Shared,
    weights: F32Array,
    row_masses: F64Array,
    row_numbers: I64Array,
    query_masses: F64Array,
    kind: int,
    scores: F64Array,
    numbers: I64Array,
) -> None:
    """Enter the rows that belong there into each query's heap of the best.

    A row's weight is its mass, for cosines the root of it; rows of infinite weight are left out,
    and so are those that share nothing.
    """
    for q in range(len(shared)):
        best, places = scores[q], numbers[q]
        factor, offset = _bound(best[0], query_masses[q], kind)
        i = _next(shared[q], weights, 0, factor, offset)
        while i < len(weights):
            score = _score(shared[q, i], query_masses[q], row_masses[i], kind)
            number = row_numbers[i]
            if score > 0 and _is_worse(best[0], places[0], score, number):
                _replace_worst(best, places, score, number)
                factor, offset = _bound(best[0], query_masses[q], kind)
            i = _next(shared[q], weights, i + 1, factor, offset)


@kernel(
    *(
        I64(shared, IN_F32, IN_F64, IN_F64, I64, F64, OUT_I32, OUT_I32, OUT_F64)
        for shared in _SHARED
    )
)
def keep_above(
    shared: Shared,
    weights: F32Array,
    row_masses: F64Array,
    query_masses: F64Array,
    kind: int,
    threshold: float,
    queries: I32Array,
    rows: I32Array,
    scores: F64Array,
) -> int:
    """List the pairs whose score is above 0 and reaches a threshold; give their number.

    Of more than there is room for only the first are written.
    """
    count = 0
    for q in range(len(shared)):
        factor, offset = _bound(threshold, query_masses[q], kind)
        i = _next(shared[q], weights, 0, factor, offset)
        while i < len(weights):
            score = _score(shared[q, i], query_masses[q], row_masses[i], kind)
            if score > 0 and score >= threshold:
                if count < len(scores):
                    queries[count], rows[count], scores[count] = q, i, score
                count += 1
            i = _next(shared[q], weights, i + 1, factor, offset)
    return count
