"""Vectors for unknown words from their character n-grams, as fastText makes them."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import InputError
from sfbow.mapped import check_whole
from sfbow.matrices import level_step, levels


@dataclass(frozen=True)
class Subwords:
    """The vectors of character n-grams, of ``shortest`` to ``longest`` characters.

    An n-gram is of the word between '<' and '>', and its vector is ``scale`` times the bucket that
    its hash names.
    """

    shortest: int
    longest: int
    buckets: NDArray[np.float32] | NDArray[np.int8]
    scale: float = 1.0

    def quantized(self) -> "Subwords":
        """Give the same with buckets of 8 bits and one scale."""
        step = level_step([self.buckets])
        return replace(self, buckets=levels(self.buckets, step), scale=step * self.scale)

    def compose(
        self, buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        """Give a vector for each unknown word ``buffer[starts[i]:ends[i]]``, in UTF-8.

        It is the mean of the vectors of its n-grams, or zero if it has none.
        """
        rows = np.zeros((len(starts), self.buckets.shape[1]), np.float32)
        self._average(rows, buffer, starts, ends, 0)
        return rows

    def complete(
        self,
        rows: NDArray[np.float32],
        buffer: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
    ) -> None:
        """Turn each row, a known word's own vector, into its mean with those of the n-grams."""
        self._average(rows, buffer, starts, ends, 1)

    def _average(
        self,
        rows: NDArray[np.float32],
        buffer: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        present: int,
    ) -> None:
        if len(starts) and (starts.min() < 0 or (ends < starts).any() or ends.max() > len(buffer)):
            raise InputError(
                "words: expected places in their buffer, found some outside; correct them"
            )
        check_whole(self.buckets)
        kernels.average_subwords(
            buffer,
            starts,
            ends,
            self.shortest,
            self.longest,
            self.buckets,
            self.scale,
            present,
            rows,
        )
