"""Pool word memberships into sentence memberships."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    BOOL,
    F32,
    IN_F32_2D,
    IN_I8_2D,
    IN_I32,
    IN_I64,
    OUT_F32_2D,
    helper,
    kernel,
)

Row = NDArray[np.float32] | NDArray[np.int8]
F32Array = NDArray[np.float32]


@helper()
def _larger(x: float, y: float) -> float:
    return x if x > y else y


@helper()
def _smaller(x: float, y: float) -> float:
    return x if x < y else y


@helper()
def _unite(a: Row, b: Row, c: Row, d: Row, pooled: F32Array) -> None:
    """pooled[j] = max(pooled[j], a[j], b[j], c[j], d[j])."""
    for j in range(len(pooled)):
        largest = _larger(_larger(a[j], b[j]), _larger(c[j], d[j]))
        pooled[j] = _larger(np.float32(largest), pooled[j])


@helper()
def _unite_signed(a: Row, b: Row, c: Row, d: Row, pooled: F32Array, opposite: F32Array) -> None:
    """Do the same, and beside it with -a, -b, -c and -d."""
    for j in range(len(pooled)):
        largest = _larger(_larger(a[j], b[j]), _larger(c[j], d[j]))
        smallest = _smaller(_smaller(a[j], b[j]), _smaller(c[j], d[j]))
        pooled[j] = _larger(np.float32(largest), pooled[j])
        opposite[j] = _larger(-np.float32(smallest), opposite[j])


@helper()
def _unite_counted(a: Row, count: float, pooled: F32Array) -> None:
    """pooled[j] = max(pooled[j], count · a[j])."""
    for j in range(len(pooled)):
        pooled[j] = _larger(count * np.float32(a[j]), pooled[j])


@kernel(
    *(
        types.void(table, table, IN_I32, IN_I64, IN_I32, BOOL, F32, OUT_F32_2D)
        for table in (IN_F32_2D, IN_I8_2D)
    )
)
def pool(
    table: NDArray[np.float32] | NDArray[np.int8],
    extra: NDArray[np.float32] | NDArray[np.int8],
    rows: NDArray[np.int32],
    bounds: NDArray[np.int64],
    counts: NDArray[np.int32],
    signed: bool,
    scale: float,
    out: NDArray[np.float32],
) -> None:
    """μ[j] = max(0, max over the words w of a sentence of count(w) · scale · v̌(w)[j]).

    The words of sentence i have the rows ``rows[bounds[i]:bounds[i + 1]]`` of the table, behind
    which ``extra`` goes on. Where ``counts`` is empty, every count is 1.
    """
    known, size = table.shape
    for i in range(len(bounds) - 1):
        out[i] = 0
        pooled, opposite = out[i, :size], out[i, size:]
        last = bounds[i + 1] - 1
        # Four words a pass; the last may come again, as that changes no maximum.
        for k in range(bounds[i], last + 1, 4 if len(counts) == 0 else 1):
            r0, r1 = rows[k], rows[min(k + 1, last)]
            r2, r3 = rows[min(k + 2, last)], rows[min(k + 3, last)]
            a = table[r0] if r0 < known else extra[r0 - known]
            b = table[r1] if r1 < known else extra[r1 - known]
            c = table[r2] if r2 < known else extra[r2 - known]
            d = table[r3] if r3 < known else extra[r3 - known]
            if len(counts) > 0:
                _unite_counted(a, np.float32(counts[k]), pooled)
                if signed:
                    _unite_counted(a, -np.float32(counts[k]), opposite)
            elif signed:
                _unite_signed(a, b, c, d, pooled, opposite)
            else:
                _unite(a, b, c, d, pooled)
        if scale != np.float32(1):
            for j in range(out.shape[1]):
                out[i, j] *= scale
