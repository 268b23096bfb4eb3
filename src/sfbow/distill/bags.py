"""Sentences as bags of rows of the vocabulary."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow.distill.words import TOKENIZER
from sfbow.inputs import batches, pack
from sfbow.lookup import find
from sfbow.vocabulary import Vocabulary

_BATCH = 8192
_LONGEST = 64  # words of a sentence that count


@dataclass(frozen=True)
class Bags:
    """The known words of sentence i are ``rows[bounds[i]:bounds[i + 1]]``."""

    rows: NDArray[np.int32]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Sequence[str], words: list[str]) -> "Bags":
        """Look the words of sentences up."""
        vocabulary = Vocabulary.of(words)
        found = [find(pack(batch), vocabulary, TOKENIZER) for batch in batches(sentences, _BATCH)]
        lengths = np.concatenate([np.diff(part.bounds) for part in found])
        return cls(
            np.concatenate([part.rows for part in found]), np.concatenate([[0], lengths.cumsum()])
        )

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def has_words(self) -> NDArray[np.bool_]:
        """Whether a sentence has a known word."""
        known: NDArray[np.bool_] = np.diff(self.bounds) > 0
        return known

    def matrix(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the words of sentences that have some; shorter ones repeat their first."""
        starts, ends = self.bounds[places], self.bounds[places + 1]
        lengths = np.minimum(ends - starts, _LONGEST)
        columns = np.arange(lengths.max(initial=1))
        inside = columns < lengths[:, None]
        return self.rows[starts[:, None] + np.where(inside, columns, 0)].astype(np.int64)
