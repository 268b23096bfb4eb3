"""The distinct rows among stored ones, and which texts each of them stands for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.index.levels import Stored
from sfbow.slices import row_slices

Numbers = NDArray[np.int64]


class Distinct(NamedTuple):
    """Rows that are neither empty nor like any other, by rising mass, and the texts they stand for.

    The texts of class c are ``members[bounds[c]:bounds[c + 1]]``, in order. The first classes have
    a row each; texts without a known word are in those after them, alone or with the same text.
    """

    stored: Stored
    members: Numbers
    bounds: Numbers

    @property
    def firsts(self) -> Numbers:
        """The first text of each class."""
        return self.members[self.bounds[:-1]]

    @property
    def sizes(self) -> Numbers:
        """The number of texts in each class."""
        return np.diff(self.bounds)


def distinct(stored: Stored, alike: Numbers) -> Distinct:
    """Sort rows where they are: those of 8 bits that `Levels.store` gives, which it takes over.

    ``alike`` tells for each empty row, in order, a number that it shares with the same texts.
    """
    rows, masses = stored
    hashes = np.empty(len(rows), np.uint64)
    kernels.hash_rows(rows.view(np.uint64), hashes)
    order = np.lexsort((hashes, masses))  # rows that are equal in both keep their order
    empty = int((masses == 0).sum())
    empties, order = order[:empty], order[empty:]
    copies = _copies(rows, order, hashes[order])
    others = np.sort(empties)[np.argsort(alike, kind="stable")]
    same = np.diff(np.sort(alike)) == 0
    starts = np.flatnonzero(np.concatenate([~copies, [True] * bool(empty), ~same]))
    kept = order[~copies]
    masses = masses[kept]
    places = np.concatenate([kept, order[copies], empties])
    kernels.reorder_rows(rows, places, np.empty(rows.shape[1], np.uint8))
    return Distinct(
        Stored(rows[: len(kept)], masses),
        np.concatenate([order, others]),
        np.append(starts, len(rows)),
    )


def _copies(
    rows: NDArray[np.uint8], order: Numbers, hashes: NDArray[np.uint64]
) -> NDArray[np.bool_]:
    """Tell which rows, in this order, equal the one before.

    Rows of one hash that differ may part equal ones; those the join finds like any other pair.
    """
    copies = np.zeros(len(order), np.bool_)
    places = 1 + np.flatnonzero(hashes[1:] == hashes[:-1])
    for part in row_slices(len(places), rows.shape[1]):
        here = places[part]
        copies[here] = (rows[order[here]] == rows[order[here - 1]]).all(axis=1)
    return copies
