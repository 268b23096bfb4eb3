"""A part of what is searched: rows of one segment, in the order of their masses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow.index.levels import Masses, Rows, Stored
from sfbow.mapped import check_whole


@dataclass(frozen=True, eq=False)
class Part:
    """Stored rows with the number of each, by which hits are named and ties are broken.

    Parameters
    ----------
    rows, masses
        What `Levels.store` gives; may be mapped from files. Searching for a threshold is faster
        where the masses rise.
    numbers
        A number for each row, from 0 up, that no other row of any part has: its place in the order
        of insertion.
    kept
        Which rows are searched; all if None.
    """

    rows: Rows
    masses: Masses
    numbers: NDArray[np.int64]
    kept: NDArray[np.bool_] | None = None

    @classmethod
    def of(cls, stored: Stored, first: int = 0) -> "Part":
        """Order rows by mass; their numbers count from ``first`` as the rows were given."""
        order = np.argsort(stored.masses, kind="stable")
        return cls(stored.rows[order], stored.masses[order], first + order.astype(np.int64))

    def __len__(self) -> int:
        return len(self.rows)

    def check_whole(self) -> None:
        """Refuse mapped files that were cut since."""
        check_whole(self.rows, self.masses, self.numbers)
