"""What a search for near-duplicates finds."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


class DuplicatePair(NamedTuple):
    """Two texts by their numbers from 0, the earlier one first, and how similar they are."""

    first: int
    second: int
    similarity: float


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Which of n texts are near-duplicates: groups that pairs above the threshold connect.

    Parameters
    ----------
    representatives
        For each text the number of the first text of its group; its own if it has no duplicate.
    similarities
        How similar each text is to its representative. It may be below the threshold where other
        texts of the group lie between.
    """

    representatives: Numbers
    similarities: Scores

    def __len__(self) -> int:
        return len(self.representatives)

    def __repr__(self) -> str:
        kept, groups = len(self.kept), len(self.groups)
        return f"<Duplicates: {len(self):,} texts, {kept:,} kept, {groups:,} groups>"

    @property
    def kept(self) -> Numbers:
        """The numbers of the texts that stay: the first of each group, and those without any."""
        return np.flatnonzero(self._is_kept)

    @property
    def removed(self) -> Numbers:
        """The numbers of the other texts."""
        return np.flatnonzero(~self._is_kept)

    @property
    def groups(self) -> list[Numbers]:
        """The numbers of the texts of each group of two or more, in order."""
        order = np.argsort(self.representatives, kind="stable")
        starts = np.flatnonzero(np.diff(self.representatives[order])) + 1
        return [group for group in np.split(order, starts) if len(group) > 1]

    @property
    def _is_kept(self) -> NDArray[np.bool_]:
        is_kept: NDArray[np.bool_] = self.representatives == np.arange(len(self))
        return is_kept
