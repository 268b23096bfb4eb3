"""All pairs of distinct rows whose Hellinger affinity reaches a threshold.

The affinity is the cosine of the roots that are stored. No mass bounds it, and what does leaves too
many pairs to pay, so that the products of all pairs are added up, in whole numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from sfbow import kernels
from sfbow.duplicates.pairs import Pairs, Pruned
from sfbow.index.comparison import kind_of
from sfbow.index.levels import Stored
from sfbow.parallel import map_ordered

_TALL, _WIDE = 256, 1 << 11  # rows that a thread compares at a time


@dataclass(eq=False)
class RootJoin:
    """The pairs of rows whose cosine is at least the threshold.

    Parameters
    ----------
    stored
        Distinct rows of 8 bits, none of them empty.
    threshold
        The least score, above 0 and up to 1.
    threads
        How many threads to use.
    """

    stored: Stored
    threshold: float
    threads: int
    pruned: Pruned = field(default_factory=Pruned)

    def __post_init__(self) -> None:
        count = len(self.stored.rows)
        self.total = count * (count - 1) // 2
        self.pruned.by_mass = self.pruned.by_sketch = self.pruned.by_distance = self.total

    def __iter__(self) -> Iterator[Pairs]:
        """Yield the pairs in an order that does not depend on the number of threads."""
        masses = self.stored.masses.astype(np.float64)
        weights = np.sqrt(masses, dtype=np.float32)
        kind = kind_of("hellinger")

        def compare(task: tuple[slice, slice]) -> Pairs:
            own, others = task
            shared = np.empty((own.stop - own.start, others.stop - others.start), np.int32)
            kernels.product_bytes(self.stored.rows[others], self.stored.rows[own], shared)
            left, right = np.empty((2, shared.size), np.int32)
            scores = np.empty(shared.size)
            count = kernels.keep_above(
                shared,
                weights[others],
                masses[others],
                masses[own],
                kind,
                self.threshold,
                left,
                right,
                scores,
            )
            first = left[:count] + np.int64(own.start)
            second = right[:count] + np.int64(others.start)
            later = first < second
            compared = _count_later(own, others)
            return Pairs(first[later], second[later], scores[:count][later], compared)

        for pairs in map_ordered(compare, self._tasks(), self.threads):
            self.pruned.by_score += len(pairs.left)
            yield pairs

    def _tasks(self) -> Iterator[tuple[slice, slice]]:
        count = len(self.stored.rows)
        for first in range(0, count, _TALL):
            own = slice(first, min(first + _TALL, count))
            for start in range(first, count, _WIDE):
                yield own, slice(start, min(start + _WIDE, count))


def _count_later(own: slice, others: slice) -> int:
    """Count the pairs of a row and a later one."""
    rows = np.arange(own.start, own.stop)
    return int((others.stop - np.maximum(rows + 1, others.start)).sum())
