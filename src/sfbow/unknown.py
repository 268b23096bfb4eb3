"""Memberships of words outside the vocabulary, from their subwords."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sfbow.memberships import project
from sfbow.subwords import Subwords
from sfbow.text import Texts
from sfbow.universe import Universe
from sfbow.vocabulary import VocabularyBuilder


@dataclass(frozen=True)
class UnknownWords:
    """v̌(w) · g(w) of a word w whose vector is the mean of its subwords' vectors."""

    subwords: Subwords
    universe: Universe
    weight: float

    def quantized(self) -> "UnknownWords":
        """Give the same with buckets of 8 bits."""
        return replace(self, subwords=self.subwords.quantized())

    def memberships(self, words: Texts) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Give a table of the distinct words, and the row of each word in it."""
        builder = VocabularyBuilder()
        builder.add(words)
        distinct = builder.finish()
        texts = distinct.texts
        vectors = self.subwords.compose(texts.buffer, texts.offsets[:-1], texts.offsets[1:])
        vectors *= np.float32(self.weight)
        return project(vectors, self.universe), distinct.find_exact(words)
