"""The batches of a seed: each depends on its number alone, so training can go on anywhere."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sfbow.distill.bags import Bags
from sfbow.errors import InputError


@dataclass(frozen=True)
class Batch:
    """Pairs of sentences: first all left ones, then all right ones.

    A row of ``tokens`` has a sentence's words, the first again where there are fewer.
    """

    tokens: Tensor
    teachers: Tensor


class Batches:
    """Sentences with a random neighbour of each, on a device.

    Sentences without a known word are left out.
    """

    def __init__(
        self,
        bags: Bags,
        embeddings: NDArray[np.float16],
        neighbours: NDArray[np.int32],
        size: int,
        device: torch.device,
    ) -> None:
        self._has_words = bags.lengths > 0
        self._usable = np.flatnonzero(self._has_words)
        if not len(self._usable):
            raise InputError(
                "texts: expected sentences with words of the vocabulary, found none; "
                "let it have more words, or give another word list"
            )
        self._neighbours = neighbours
        self._size = min(size, len(self._usable))
        self._device = device
        self._rows = torch.from_numpy(bags.rows).to(device)
        self._starts = torch.from_numpy(bags.bounds[:-1]).to(device)
        self._lengths = torch.from_numpy(bags.lengths).to(device)
        self._embeddings = torch.from_numpy(embeddings).to(device)

    def make(self, seed: int, step: int) -> Batch:
        """Give a batch."""
        rng = np.random.default_rng([seed, step])
        left = rng.choice(self._usable, self._size, replace=False, shuffle=False)
        places = torch.from_numpy(np.concatenate([left, self._neighbour(rng, left)]))
        places = places.to(self._device)
        return Batch(self._tokens(places), self._embeddings[places].float())

    def _neighbour(self, rng: np.random.Generator, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Choose a neighbour of each sentence; itself, where that one has no known word."""
        chosen = rng.integers(self._neighbours.shape[1], size=len(places))
        near = self._neighbours[places, chosen].astype(np.int64)
        return np.where(self._has_words[near], near, places)

    def _tokens(self, places: Tensor) -> Tensor:
        lengths = self._lengths[places][:, None]
        columns = torch.arange(int(lengths.max()), device=self._device)
        offsets = columns * (columns < lengths)
        return self._rows[self._starts[places][:, None] + offsets].long()
