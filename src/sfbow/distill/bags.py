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
_COUNTED = 64  # known words of a sentence, so that a batch of long ones fits into memory


@dataclass(frozen=True)
class Bags:
    """The first known words of sentence i are ``rows[bounds[i]:bounds[i + 1]]``."""

    rows: NDArray[np.int32]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, sentences: Sequence[str], words: list[str]) -> "Bags":
        """Look the words of sentences up."""
        vocabulary = Vocabulary.of(words)
        found = [find(pack(batch), vocabulary, TOKENIZER) for batch in batches(sentences, _BATCH)]
        rows = np.concatenate([part.rows for part in found])
        lengths = np.concatenate([np.diff(part.bounds) for part in found])
        places = np.arange(len(rows)) - np.repeat(lengths.cumsum() - lengths, lengths)
        kept = np.minimum(lengths, _COUNTED)
        return cls(rows[places < _COUNTED], np.concatenate([[0], kept.cumsum()]))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of known words of each sentence."""
        return np.diff(self.bounds)
