"""The batches of a seed: each depends on its number alone, so training can go on anywhere."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sfbow.distill.bags import Bags
from sfbow.parallel import map_ordered

_THREADS = 2  # one makes the next batches while the other is waited for


@dataclass(frozen=True)
class Batch:
    """Pairs of sentences: first all left ones, then all right ones."""

    tokens: Tensor
    teachers: Tensor


@dataclass(frozen=True)
class Batches:
    """Sentences with a random neighbour of each; sentences without a known word are left out."""

    bags: Bags
    embeddings: NDArray[np.float16]
    neighbours: NDArray[np.int32]
    size: int
    seed: int

    def stream(self, first: int, last: int) -> Iterator[Batch]:
        """Yield the batches of these numbers."""
        usable = np.flatnonzero(self.bags.has_words)

        def make(step: int) -> Batch:
            return self._make(np.random.default_rng([self.seed, step]), usable)

        return map_ordered(make, range(first, last), _THREADS)

    def _make(self, rng: np.random.Generator, usable: NDArray[np.int64]) -> Batch:
        left = rng.choice(usable, min(self.size, len(usable)), replace=False, shuffle=False)
        chosen = rng.integers(self.neighbours.shape[1], size=len(left))
        right = self.neighbours[left, chosen].astype(np.int64)
        right = np.where(self.bags.has_words[right], right, left)
        places = np.concatenate([left, right])
        return Batch(
            torch.from_numpy(self.bags.matrix(places)),
            torch.from_numpy(np.asarray(self.embeddings[places], np.float32)),
        )
