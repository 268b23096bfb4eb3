"""All pairs of distinct rows whose Hellinger affinity reaches a threshold.

The affinity is the cosine of the roots that are stored. No mass bounds it. What a row is along 128
directions that have most of the rows, and the length of what is left of it, bound it: by Cauchy and
Schwarz a · b ≤ y · z + √(1 - y²) · √(1 - z²), one product of matrices for many pairs. What that
leaves is computed from whole numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.duplicates.pairs import Pairs, Places, Pruned
from sfbow.duplicates.sketches import main_directions
from sfbow.index.comparison import exact_scores, kind_of
from sfbow.index.levels import Stored
from sfbow.parallel import map_ordered
from sfbow.slices import row_slices

Sketches = NDArray[np.float32]

_DIRECTIONS = 128
_SAMPLE = 4096  # rows that tell the directions
_TALL, _WIDE = 256, 1 << 11  # rows that a thread compares at a time
_SLACK = 1e-4  # more than float32 is off by, in a sum of so many products


@dataclass
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
        self.total = self.pruned.by_mass = count * (count - 1) // 2

    def __iter__(self) -> Iterator[Pairs]:
        """Yield the pairs in an order that does not depend on the number of threads."""
        if self.total == 0:
            return
        sketches = self._sketches()

        def compare(task: tuple[slice, slice]) -> tuple[Pairs, int]:
            left, right = _near(sketches, *task, self.threshold - _SLACK)
            return self._reaching(left, right, _compared(*task)), len(left)

        for pairs, met in map_ordered(compare, self._tasks(), self.threads):
            self.pruned.by_sketch += met
            self.pruned.by_distance += met
            self.pruned.by_score += len(pairs.left)
            yield pairs

    def _tasks(self) -> Iterator[tuple[slice, slice]]:
        count = len(self.stored.rows)
        for first in range(0, count, _TALL):
            for start in range(first, count, _WIDE):
                yield (
                    slice(first, min(first + _TALL, count)),
                    slice(start, min(start + _WIDE, count)),
                )

    def _sketches(self) -> Sketches:
        """Give for each row its parts along the directions, and the length of the rest of it."""
        rows, masses = self.stored
        sample = np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.int64)
        count = min(_DIRECTIONS, rows.shape[1])
        directions = main_directions(_unit(rows[sample], masses[sample]), count)
        sketches = np.empty((len(rows), count + 1), np.float32)

        def fill(part: slice) -> None:
            along = _unit(rows[part], masses[part]) @ directions
            rest = 1 - np.einsum("ij,ij->i", along, along)
            sketches[part, :-1] = along
            sketches[part, -1] = np.sqrt(np.maximum(rest, 0) + _SLACK / 4)

        for _ in map_ordered(fill, row_slices(*rows.shape), self.threads):
            pass
        return sketches

    def _reaching(self, left: Places, right: Places, compared: int) -> Pairs:
        rows, masses = self.stored
        shared = np.empty(len(left), np.int32)
        kernels.products_of_pairs(rows, left, right, shared)
        scores = exact_scores("hellinger", shared, masses[left], masses[right])
        reach = scores >= self.threshold
        return Pairs(left[reach], right[reach], scores[reach], compared)


def _unit(rows: NDArray[np.uint8], masses: Places) -> Sketches:
    """Scale rows to length 1."""
    return np.divide(rows, np.sqrt(masses)[:, None], dtype=np.float32)


def _near(sketches: Sketches, own: slice, others: slice, threshold: float) -> tuple[Places, Places]:
    """Give the pairs whose sketches allow the threshold, the earlier row first."""
    dots = sketches[own] @ sketches[others].T
    tall, wide = np.ones(len(dots)), np.ones(dots.shape[1])
    left, right = np.empty((2, dots.size), np.int32)
    count = kernels.keep_above(
        dots,
        wide.astype(np.float32),
        wide,
        tall,
        kind_of("hellinger"),
        max(threshold, 0),
        left,
        right,
        np.empty(dots.size),
    )
    a, b = left[:count] + own.start, right[:count] + others.start
    return a[a < b].astype(np.int64), b[a < b].astype(np.int64)


def _compared(own: slice, others: slice) -> int:
    """Count the pairs of a row and a later one."""
    rows = np.arange(own.start, own.stop)
    return int((others.stop - np.maximum(rows + 1, others.start)).clip(0).sum())
