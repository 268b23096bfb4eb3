"""The cosine of sentence vectors; that with a zero vector is 0."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError

Floats = NDArray[np.float32]


def unit_rows(array: NDArray[Any]) -> Floats:
    """Scale rows to length 1; zero rows stay."""
    given = np.asarray(array)
    if given.dtype.kind not in "fiu" or given.ndim not in (1, 2):
        found = f"{given.ndim} dimensions of {given.dtype}"
        raise InputError(
            f"vectors: expected one row or a matrix of numbers, found {found}; reshape it"
        )
    with np.errstate(over="ignore"):  # what overflows is refused
        rows = np.ascontiguousarray(np.atleast_2d(given), np.float32)
    # In double precision the squares of float32 neither overflow nor vanish.
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))[:, None]
    if not np.isfinite(lengths).all():
        raise InputError(
            "vectors: expected finite numbers, found NaN, infinity or too large ones; correct them"
        )
    units = np.zeros_like(rows)
    np.divide(rows, lengths, out=units, where=lengths > 0, casting="same_kind")
    return units


def cosine(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """Compare each row of ``a`` with each row of ``b``: a · b / (‖a‖ ‖b‖)."""
    left, right = _units(a, b)
    products: Floats = left @ right.T
    return np.clip(products, -1, 1, out=products)


def cosine_pairwise(a: NDArray[Any], b: NDArray[Any]) -> Floats:
    """Compare each row of ``a`` with the same row of ``b``: a · b / (‖a‖ ‖b‖)."""
    left, right = _units(a, b)
    if len(left) != len(right):
        raise InputError(
            f"vectors: expected as many rows twice, found {len(left)}, {len(right)}; give pairs"
        )
    products: Floats = np.einsum("ij,ij->i", left, right)
    return np.clip(products, -1, 1, out=products)


def _units(a: NDArray[Any], b: NDArray[Any]) -> tuple[Floats, Floats]:
    left, right = unit_rows(a), unit_rows(b)
    if left.shape[1] != right.shape[1]:
        widths = f"{left.shape[1]} and {right.shape[1]}"
        raise InputError(
            f"vectors: expected rows of one width, found {widths}; encode both with one model"
        )
    return left, right


class CosineModel:
    """A model whose sentence vectors are compared by their cosine."""

    def similarity(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Compare each row of ``a`` with each row of ``b``: a · b / (‖a‖ ‖b‖)."""
        return cosine(a, b)

    def similarity_pairwise(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Compare each row of ``a`` with the same row of ``b``: a · b / (‖a‖ ‖b‖)."""
        return cosine_pairwise(a, b)
