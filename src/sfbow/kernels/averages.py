"""Average the vectors of a sentence's words, and of its word n-grams."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    F32,
    I64,
    IN_F32_2D,
    IN_I32,
    IN_I64,
    OUT_F32_2D,
    helper,
    kernel,
)

F32Array = NDArray[np.float32]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]

_MULTIPLIER = 116049371


@helper()
def _add(vector: F32Array, total: F32Array) -> None:
    """Add to the total: total ← total + vector."""
    for j in range(len(total)):
        total[j] += vector[j]


@helper()
def _divide(total: F32Array, count: int) -> None:
    """Make a mean of a sum: total ← total / count; that of nothing stays."""
    if count > 0:
        factor = F32(1.0 / count)
        for j in range(len(total)):
            total[j] *= factor


@kernel(types.void(IN_F32_2D, IN_I32, IN_I64, OUT_F32_2D))
def average(table: F32Array, rows: I32Array, bounds: I64Array, out: F32Array) -> None:
    """out[i] = mean of table[r] over r in rows[bounds[i]:bounds[i + 1]]; 0 where there is none."""
    for i in range(len(bounds) - 1):
        out[i] = 0
        for k in range(bounds[i], bounds[i + 1]):
            _add(table[rows[k]], out[i])
        _divide(out[i], bounds[i + 1] - bounds[i])


@kernel(types.void(IN_F32_2D, IN_F32_2D, I64, IN_I32, IN_I64, OUT_F32_2D))
def average_with_ngrams(
    table: F32Array,
    buckets: F32Array,
    longest: int,
    rows: I32Array,
    bounds: I64Array,
    out: F32Array,
) -> None:
    """Do the same with the buckets of all n-grams, of two rows up to ``longest``, besides.

    The bucket of the rows a, b, c, … is h modulo their number, where
    h = ((a · 116049371 + b) · 116049371 + c) … in 64 bits.
    """
    for i in range(len(bounds) - 1):
        out[i] = 0
        first, end = bounds[i], bounds[i + 1]
        count = end - first
        for k in range(first, end):
            _add(table[rows[k]], out[i])
        for k in range(first, end if len(buckets) > 0 else first):
            code = np.uint64(rows[k])
            for n in range(k + 1, min(k + longest, end)):
                code = code * np.uint64(_MULTIPLIER) + np.uint64(rows[n])
                _add(buckets[np.int64(code % np.uint64(len(buckets)))], out[i])
                count += 1
        _divide(out[i], count)
