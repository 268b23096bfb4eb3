"""How queries pass over rows: in blocks, without those that no query could be similar to."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow.index.comparison import Shared, fill_shared, least_ratio, row_weights, shared_dtype
from sfbow.index.levels import Levels, Stored
from sfbow.index.part import Part

_PAIRS = 1 << 20  # of a block of rows with all queries
_LEAST, _MOST = 1 << 10, 1 << 16  # rows of a block

Scores = NDArray[np.float64]
Places = NDArray[np.intp]


class Block(NamedTuple):
    """Rows of a part."""

    part: Part
    rows: slice


class Compared(NamedTuple):
    """What the rows of a block share with some of the queries."""

    queries: Places
    query_masses: Scores
    shared: Shared
    weights: NDArray[np.float32]
    masses: Scores
    numbers: NDArray[np.int64]


class Scratch:
    """Memory for what is shared, kept from block to block by one thread at a time."""

    def __init__(self, levels: Levels) -> None:
        self._memory = np.empty(0, shared_dtype(levels))

    def take(self, queries: int, rows: int) -> Shared:
        """Give a matrix with whatever it held before."""
        if len(self._memory) < queries * rows:
            self._memory = np.empty(queries * rows, self._memory.dtype)
        return self._memory[: queries * rows].reshape(queries, rows)


class Passage:
    """The passing of a few queries over all rows."""

    def __init__(self, levels: Levels, parts: Sequence[Part], queries: Stored) -> None:
        self.levels = levels
        self._parts = parts
        self._queries = levels.unpacked(queries)
        self._masses = queries.masses.astype(np.float64)

    def __len__(self) -> int:
        return len(self._masses)

    def blocks(self) -> list[Block]:
        """Cut the parts into blocks; those whose masses are most like the queries' come first."""
        height = min(max(_PAIRS // len(self), _LEAST), _MOST)
        blocks = [
            Block(part, slice(start, min(start + height, len(part))))
            for part in self._parts
            for start in range(0, len(part), height)
        ]
        usual = float(np.median(self._masses))
        return sorted(blocks, key=lambda block: abs(_middle_mass(block) - usual))

    def compare(self, block: Block, floors: Scores, scratch: Scratch) -> Compared | None:
        """Compare a block with the queries whose floor a row of it might reach, if there are any.

        The result is good until the scratch is used again.
        """
        part, _ = block
        part.check_whole()
        places, left_out = _places(block)
        rows = Stored(part.rows[places], part.masses[places])
        masses = rows.masses.astype(np.float64)
        queries = self._within_reach(masses, floors)
        if not len(queries):
            return None
        weights = row_weights(self.levels, masses)
        weights[left_out] = np.inf
        shared = scratch.take(len(queries), len(masses))
        chosen = Stored(self._queries.rows[queries], self._queries.masses[queries])
        fill_shared(self.levels, self.levels.unpacked(rows), chosen, shared)
        return Compared(
            queries, self._masses[queries], shared, weights, masses, part.numbers[places]
        )

    def _within_reach(self, masses: Scores, floors: Scores) -> Places:
        if not len(masses):
            return np.empty(0, np.intp)
        ratios = least_ratio(self.levels.measure, floors)
        least, most = masses.min() * ratios, masses.max()
        return np.flatnonzero((self._masses >= least) & (most >= self._masses * ratios))


def _middle_mass(block: Block) -> float:
    return float(block.part.masses[(block.rows.start + block.rows.stop) // 2])


def _places(block: Block) -> tuple[slice | Places, Places]:
    """Give the rows that are compared, and which of those are left out of the result.

    A few rows of many are copied together; of most, all are compared, which is faster.
    """
    part, rows = block
    if part.kept is None:
        return rows, np.empty(0, np.intp)
    kept = part.kept[rows]
    if 2 * np.count_nonzero(kept) < len(kept):
        return rows.start + np.flatnonzero(kept), np.empty(0, np.intp)
    return rows, np.flatnonzero(~kept)
