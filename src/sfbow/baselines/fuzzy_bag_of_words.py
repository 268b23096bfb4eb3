"""The fuzzy bag of words: a set for each word, memberships by cosine (Zhao and Mao 2018)."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from sfbow.baselines.cosine import CosineModel, unit_rows
from sfbow.baselines.texts import AnyCasing, Floats
from sfbow.errors import InputError
from sfbow.model import SFBoW
from sfbow.text import Split
from sfbow.universe import Universe
from sfbow.vectors import WordVectors


class FuzzyBagOfWords(CosineModel):
    """μ[i] = max(0, max over the words w of S of cos(w_i, w)); compared by cosine.

    Words whose vectors are zero belong to no set; unknown words are left out, even where the
    vectors know subwords.

    Parameters
    ----------
    words
        The word vectors.
    universe
        The words w_i: a number of the most frequent ones, or any known words.
    casing, punctuation, split
        How texts become words: as in `SFBoW`.
    """

    def __init__(
        self,
        words: WordVectors,
        *,
        universe: int | Iterable[str] = 2000,
        casing: AnyCasing = "auto",
        punctuation: bool = True,
        split: Split = "words",
    ) -> None:
        units = WordVectors(words.words, unit_rows(words.matrix))
        self._model = SFBoW(
            units,
            Universe(_universe_rows(units, universe)),
            weights=None,
            casing=casing,
            punctuation=punctuation,
            split=split,
            memory_budget=0,  # a table of all words by all sets would be too large
        )
        self.vocabulary = self._model.vocabulary
        self.tokenizer = self._model.tokenizer

    @property
    def size(self) -> int:
        """The length of a sentence vector."""
        return self._model.size

    def encode(self, sentences: Any) -> Floats:  # noqa: ANN401
        """Turn texts into vectors: one for a string, a row each for many texts."""
        return self._model.encode(sentences)


def _universe_rows(units: WordVectors, universe: int | Iterable[str]) -> Floats:
    if isinstance(universe, str) or not isinstance(universe, Iterable):
        return units.most_frequent(universe).matrix  # type: ignore[arg-type] # it tells others
    chosen = list(universe)
    unknown = [word for word in chosen if word not in units]
    if unknown or not chosen:
        found = f"{len(unknown)} unknown, as {unknown[0]!r}" if unknown else "none"
        raise InputError(f"universe: expected words that have vectors, found {found}; give others")
    return np.stack([units[word] for word in chosen])
