"""All pairs of distinct rows whose Jaccard, Dice or Otsuka similarity reaches a threshold.

A score of t bounds the distance: Σ|a - b| = Σa + Σb - 2 Σmin. There are four steps, the cheapest
first, and none loses a pair:

1. rows are in the order of their masses, and a row is only compared with those after it as far as
   the ratio of the masses allows the score;
2. sketches of 16 bytes rule out pairs whose distance must be too large;
3. the distance itself is added up, until it is too large;
4. the score is computed, in float64 from whole numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.duplicates.pairs import Pairs, Places, Pruned
from sfbow.duplicates.sketches import sketches
from sfbow.index.comparison import exact_scores, least_ratio
from sfbow.index.levels import Stored
from sfbow.measures import Measure
from sfbow.parallel import map_ordered

_ROWS = 64  # of a block of sketches, as the kernels have them
_TALL, _WIDE = 4, 128  # blocks that a thread compares at a time: their pairs fit into memory


@dataclass(eq=False)
class MinimumJoin:
    """The pairs of rows whose Σmin gives a score of at least the threshold.

    Parameters
    ----------
    stored
        Distinct rows of 8 bits with rising masses above 0.
    measure
        "jaccard", "otsuka" or "dice".
    threshold
        The least score, above 0 and up to 1.
    threads
        How many threads to use.
    parents
        A number for each row: pairs of rows that have the same are left out. It may change while
        the join runs.
    """

    stored: Stored
    measure: Measure
    threshold: float
    threads: int
    parents: Places
    pruned: Pruned = field(default_factory=Pruned)

    def __post_init__(self) -> None:
        masses = self.stored.masses
        ratio = least_ratio(self.measure, np.array([self.threshold]))[0]
        self._reaches = np.searchsorted(masses * ratio, masses, side="right")
        self.total = int((self._reaches - np.arange(len(masses)) - 1).sum())
        self.pruned.by_mass = self.total

    def __iter__(self) -> Iterator[Pairs]:
        """Yield the pairs in an order that does not depend on the number of threads."""
        if self.total == 0:
            return
        rows = self.stored.rows
        budgets = self._budgets()
        blocks, limits = sketches(rows, budgets, self.threads)

        def compare(task: tuple[slice, slice, int]) -> tuple[Pairs, int, int]:
            own, others, compared = task
            room = _ROWS * _ROWS * (own.stop - own.start) * (others.stop - others.start)
            left, right, distances = np.empty((3, room), np.int32)
            met = np.zeros(1, np.int64)
            count = kernels.near_rows(
                rows,
                blocks,
                self._reaches,
                budgets,
                limits,
                self.parents,
                own.start,
                own.stop,
                others.start,
                others.stop,
                np.empty(_ROWS, np.uint8),
                met,
                left,
                right,
                distances,
            )
            near = left[:count].astype(np.int64), right[:count].astype(np.int64)
            return self._reaching(*near, distances[:count], compared), int(met[0]), count

        for pairs, met, count in map_ordered(compare, self._tasks(len(blocks)), self.threads):
            self.pruned.by_sketch += met
            self.pruned.by_distance += count
            self.pruned.by_score += len(pairs.left)
            yield pairs

    def _budgets(self) -> Places:
        """Give the largest distance of each row from rows that it may be paired with.

        It rises with the mass of the other, so the heaviest within reach tells.
        """
        own = self.stored.masses.astype(np.float64)
        other = own[self._reaches - 1]
        if self.measure == "jaccard":
            shared = (own + other) * (self.threshold / (1 + self.threshold))
        elif self.measure == "dice":
            shared = (own + other) * (self.threshold / 2)
        else:
            shared = np.sqrt(own * other) * self.threshold
        # One more than that is, for rounding.
        budgets: Places = np.floor(own + other - 2 * shared).astype(np.int64) + 1
        return budgets

    def _tasks(self, blocks: int) -> Iterator[tuple[slice, slice, int]]:
        for first in range(0, blocks, _TALL):
            last = min(first + _TALL, blocks)
            own = np.arange(first * _ROWS, min(last * _ROWS, len(self._reaches)))
            compared = int((self._reaches[own] - own - 1).sum())
            stop = -(-int(self._reaches[own[-1]]) // _ROWS)
            for start in range(first, stop, _WIDE):
                end = min(start + _WIDE, stop)
                yield slice(first, last), slice(start, end), compared if end == stop else 0

    def _reaching(
        self, left: Places, right: Places, distances: NDArray[np.int32], compared: int
    ) -> Pairs:
        masses = self.stored.masses
        shared = (masses[left] + masses[right] - distances) // 2
        scores = exact_scores(self.measure, shared, masses[left], masses[right])
        reach = scores >= self.threshold
        return Pairs(left[reach], right[reach], scores[reach], compared)
