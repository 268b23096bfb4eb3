"""Word memberships v̌(w) · g(w): a table made once, or rows made when they are needed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.mapped import row_blocks
from sfbow.matrices import level_step, levels
from sfbow.universe import Universe

Floats = NDArray[np.float32]
Table = NDArray[np.float32] | NDArray[np.int8]

_HEIGHT = 64  # of a block of words that is multiplied with the universe


def project(weighted: Floats, universe: Universe) -> Floats:
    """Give U · g(w) · w for the vector g(w) · w of each word, of one half of a signed universe."""
    if universe.is_identity:
        return weighted
    # A product of another height adds up in another order. Blocks of one height give a word the
    # same memberships to the last bit, whatever other words come with it.
    blocks = -(-len(weighted) // _HEIGHT)
    padded = np.zeros((blocks, _HEIGHT, weighted.shape[1]), np.float32)
    padded.reshape(-1, weighted.shape[1])[: len(weighted)] = weighted
    product = np.empty((blocks, _HEIGHT, len(universe.axes)), np.float32)
    for block, out in zip(padded, product, strict=True):
        np.matmul(block, universe.axes.T, out=out)
    return product.reshape(-1, len(universe.axes))[: len(weighted)]


@dataclass(frozen=True)
class StoredMemberships:
    """A table of all words; a membership is ``table · scale``."""

    table: Table
    scale: float = 1.0

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All that is read."""
        return (self.table,)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the table."""
        return self.table.dtype

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of words and of axes."""
        return len(self.table), int(self.table.shape[1])

    def select(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """Give a table and the places of these rows in it: here, the whole as it is."""
        return self.table, rows

    def blocks(self) -> Iterator[Table]:
        """Yield the table in blocks."""
        return row_blocks(self.table)

    def like_table(self, memberships: Floats) -> Table:
        """Write memberships of other words as the table has them."""
        if self.table.dtype == np.float32:
            return memberships
        return levels(memberships, self.scale)


@dataclass(frozen=True)
class ComputedMemberships:
    """Rows g(w) · U · w, made for the words of each batch: a table would be too large."""

    vectors: Floats
    weights: Floats
    universe: Universe
    scale: float = 1.0

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All that is read."""
        return self.vectors, self.weights

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a table."""
        return np.dtype(np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of words and of axes."""
        return len(self.vectors), len(self.universe.axes)

    def select(self, rows: NDArray[np.int32]) -> tuple[Table, NDArray[np.int32]]:
        """Make a table of the rows that occur; those below 0, of unknown words, stay below 0."""
        distinct, places = np.unique(rows, return_inverse=True)
        unknown = int(np.searchsorted(distinct, 0))
        known = distinct[unknown:]
        table = project(self.vectors[known] * self.weights[known, None], self.universe)
        return table, places.astype(np.int32) - np.int32(unknown)

    def like_table(self, memberships: Floats) -> Table:
        """Write memberships of other words as the table has them."""
        return memberships

    def blocks(self) -> Iterator[Table]:
        """Yield the table that this stands for, in blocks."""
        start = 0
        for vectors in row_blocks(self.vectors):
            weights = self.weights[start : start + len(vectors)]
            yield project(vectors * weights[:, None], self.universe)
            start += len(vectors)


Memberships = StoredMemberships | ComputedMemberships


def word_memberships(
    vectors: Floats, weights: Floats, universe: Universe, memory_budget: int
) -> Memberships:
    """Make the table of all words if it fits into the budget."""
    computed = ComputedMemberships(vectors, weights, universe)
    rows, size = computed.shape
    if rows * size * 4 > memory_budget:
        return computed
    return StoredMemberships(_table(computed.blocks(), computed.shape, np.dtype(np.float32)))


def whole_table(memberships: Memberships) -> Floats:
    """Give the memberships of all words as float32, read or computed at once."""
    table = _table(memberships.blocks(), memberships.shape, np.dtype(np.float32))
    table *= np.float32(memberships.scale)
    return table


def quantized(memberships: Memberships) -> StoredMemberships:
    """Round to 8 bits, with one scale for all, so that 0 stays 0 and order stays order."""
    step = level_step(memberships.blocks())
    blocks = (levels(block, step) for block in memberships.blocks())
    table = _table(blocks, memberships.shape, np.dtype(np.int8))
    return StoredMemberships(table, step * memberships.scale)


def _table(blocks: Iterable[Table], shape: tuple[int, int], dtype: np.dtype[Any]) -> Table:
    table: Table = np.empty(shape, dtype)
    start = 0
    for block in blocks:
        table[start : start + len(block)] = block
        start += len(block)
    return table
