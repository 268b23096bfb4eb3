"""Matrices from outside: checked, and the derived ones that builders work on."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.slices import row_slices

Matrix = NDArray[np.float32]

_LEVELS = 127
_CACHED = 2**16  # cells that stay in a core's cache
_SMALLEST = float(np.finfo(np.float32).smallest_normal)


def checked_matrix(matrix: NDArray[Any], name: str) -> Matrix:
    """Return a matrix of real numbers as float32 in C order, without a copy if it is that."""
    try:
        given = np.asarray(matrix)
    except ValueError as error:  # rows of several lengths
        raise InputError(f"{name}: expected rows of one length, found others; {error}") from None
    if given.dtype.kind not in "fiu":
        raise InputError(f"{name}: expected real numbers, found {given.dtype}; convert them")
    if given.ndim != 2 or given.size == 0:
        raise InputError(
            f"{name}: expected a table of rows and columns, found the shape {given.shape}; "
            "reshape it"
        )
    with np.errstate(over="ignore"):
        checked = np.ascontiguousarray(given, dtype=np.float32)
    for rows in row_slices(*checked.shape):
        if not np.isfinite(checked[rows]).all():
            bad = rows.start + int(np.isfinite(checked[rows]).all(axis=1).argmin())
            raise InputError(
                f"{name}, row {bad}: expected finite float32 numbers, found NaN, infinity or "
                "one too large; repair or drop the row"
            )
    return checked


def frozen(matrix: Matrix) -> Matrix:
    """Return the matrix read-only: itself if it is, or else a copy."""
    if matrix.flags.writeable:
        matrix = matrix.copy()
        matrix.flags.writeable = False
    return matrix


def is_identity(matrix: Matrix) -> bool:
    """Tell whether the matrix is I."""
    rows, columns = matrix.shape
    return rows == columns == np.count_nonzero(matrix) and bool((matrix.diagonal() == 1).all())


def directions(matrix: Matrix) -> Matrix:
    """Return the rows that are not zero, scaled to length 1."""
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    kept = np.flatnonzero(lengths)
    scaled = np.empty((len(kept), matrix.shape[1]), dtype=np.float32)
    for block in row_slices(*scaled.shape):
        scaled[block] = matrix[kept[block]] / lengths[kept[block], None]
    return scaled


def level_step(blocks: Iterable[NDArray[Any]]) -> float:
    """Give the step between levels of 8 bits that reach to the largest number of all blocks."""
    largest = max((float(np.abs(block).max(initial=0)) for block in blocks), default=0.0)
    return max(largest / _LEVELS, _SMALLEST) if largest else 1.0


def levels(values: NDArray[Any], step: float) -> NDArray[np.int8]:
    """Round to multiples of a step, so that 0 stays 0 and order stays order."""
    result = np.empty(values.shape, np.int8)
    for rows in row_slices(*values.shape, cells=_CACHED):
        scaled: Matrix = np.divide(values[rows], step, dtype=np.float32)
        np.rint(scaled, out=scaled)
        result[rows] = scaled.clip(-_LEVELS, _LEVELS, out=scaled)
    return result
