"""Memberships of words outside the vocabulary, from their subwords."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sfbow.memberships import Floats, project
from sfbow.slices import row_slices
from sfbow.subwords import Subwords
from sfbow.text import Texts
from sfbow.universe import Universe
from sfbow.vocabulary import VocabularyBuilder

Rows = TypeVar("Rows", bound=NDArray[Any])

_CELLS = 1 << 15  # of a block of vectors


@dataclass(frozen=True)
class UnknownWords:
    """v̌(w) · g(w) of a word w whose vector is the mean of its subwords' vectors."""

    subwords: Subwords
    universe: Universe
    weight: float

    def quantized(self) -> "UnknownWords":
        """Give the same with buckets of 8 bits."""
        return replace(self, subwords=self.subwords.quantized())

    def memberships(
        self, words: Texts, like: Callable[[Floats], Rows]
    ) -> tuple[Rows, NDArray[np.int32]]:
        """Give a table of the distinct words, as ``like`` has it, and the row of each word in it.

        It is made in blocks that stay in a core's cache.
        """
        builder = VocabularyBuilder()
        builder.add(words)
        distinct = builder.finish()
        texts = distinct.texts
        blocks = [
            like(self._block(texts.buffer, texts.offsets[rows.start : rows.stop + 1]))
            for rows in row_slices(len(texts), self.universe.dim, cells=_CELLS) or [slice(0, 0)]
        ]
        return cast("Rows", np.concatenate(blocks)), distinct.find_exact(words)

    def _block(self, buffer: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Floats:
        vectors = self.subwords.compose(buffer, offsets[:-1], offsets[1:])
        vectors *= np.float32(self.weight)
        return project(vectors, self.universe)
