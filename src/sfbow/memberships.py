"""Word memberships v̌(w) · g(w): a table made once, or rows made when they are needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.slices import row_slices
from sfbow.storage import row_blocks
from sfbow.universe import Universe

Floats = NDArray[np.float32]
Table = NDArray[np.float32] | NDArray[np.int8]

_LEVELS = 127
_SMALLEST = float(np.finfo(np.float32).smallest_normal)
_LARGEST = float(np.finfo(np.float32).max)


def damping_factors(vectors: Floats, damping: float) -> Floats:
    """Give 1 / ‖w‖ ** damping for each word vector w; 1 for a zero vector."""
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    squares[squares == 0] = 1
    return np.asarray(np.minimum(squares ** (-damping / 2), _LARGEST), np.float32)


def project(vectors: Floats, factors: Floats, universe: Universe) -> Floats:
    """Give factor · U · w for each word vector w, of one half of a signed universe."""
    scaled: Floats = vectors * factors[:, None]
    return scaled if universe.is_identity else np.asarray(scaled @ universe.axes.T)


@dataclass(frozen=True)
class StoredMemberships:
    """A table of all words; a membership is ``table · scale``."""

    table: Table
    scale: float = 1.0

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the table."""
        return self.table.dtype

    def select(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """Give a table and the places of these rows in it: here, the whole as it is."""
        return self.table, rows

    def blocks(self) -> Iterator[Table]:
        """Yield the table in blocks."""
        return row_blocks(self.table)

    def quantized(self) -> "StoredMemberships":
        """Round to 8 bits, with one scale for all, so that 0 stays 0 and order stays order."""
        largest = max((float(np.abs(block).max(initial=0)) for block in self.blocks()), default=0)
        step = max(largest / _LEVELS, _SMALLEST) if largest else 1.0
        table = np.empty(self.table.shape, np.int8)
        for rows in row_slices(*self.table.shape):
            table[rows] = _levels(self.table[rows], step)
        return StoredMemberships(table, step * self.scale)

    def like_table(self, memberships: Floats) -> Table:
        """Write memberships of other words as the table has them."""
        if self.table.dtype == np.float32:
            return memberships
        return _levels(memberships, self.scale)


def _levels(values: Table, step: float) -> NDArray[np.int8]:
    levels: Floats = np.rint(values / np.float32(step))
    return levels.clip(-_LEVELS, _LEVELS).astype(np.int8)


@dataclass(frozen=True)
class ComputedMemberships:
    """Rows factor · U · w, made for the words of each batch: a table would be too large."""

    vectors: Floats
    factors: Floats
    universe: Universe
    scale: float = 1.0

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a table."""
        return np.dtype(np.float32)

    def select(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """Make a table of the rows that occur; those below 0, of unknown words, stay below 0."""
        distinct, places = np.unique(rows, return_inverse=True)
        unknown = int(np.searchsorted(distinct, 0))
        known = distinct[unknown:]
        table = project(self.vectors[known], self.factors[known], self.universe)
        return table, places.astype(np.int32) - np.int32(unknown)

    def like_table(self, memberships: Floats) -> Table:
        """Write memberships of other words as the table has them."""
        return memberships

    def blocks(self) -> Iterator[Table]:
        """Yield the table that this stands for, in blocks."""
        start = 0
        for vectors in row_blocks(self.vectors):
            factors = self.factors[start : start + len(vectors)]
            yield project(vectors, factors, self.universe)
            start += len(vectors)


Memberships = StoredMemberships | ComputedMemberships


def word_memberships(
    vectors: Floats, weights: Floats, universe: Universe, *, damping: float, memory_budget: int
) -> Memberships:
    """Make the table of all words if it fits into the budget."""
    factors = weights.copy()
    start = 0
    if damping > 0:
        for block in row_blocks(vectors):
            factors[start : start + len(block)] *= damping_factors(block, damping)
            start += len(block)
    computed = ComputedMemberships(vectors, factors, universe)
    if len(vectors) * len(universe.axes) * 4 > memory_budget:
        return computed
    table = np.empty((len(vectors), len(universe.axes)), np.float32)
    start = 0
    for block in computed.blocks():
        table[start : start + len(block)] = block
        start += len(block)
    return StoredMemberships(table)
