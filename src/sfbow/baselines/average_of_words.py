"""The average of word vectors, as with Word2Vec, GloVe and FastText in the paper."""

from typing import Any

from sfbow import kernels
from sfbow.baselines.cosine import CosineModel
from sfbow.baselines.texts import AnyCasing, Floats, WeightedWords, encode_texts
from sfbow.inputs import Tokens
from sfbow.text import Split, Texts
from sfbow.vectors import WordVectors
from sfbow.weights import Weights


class AverageOfWords(CosineModel):
    """v(S) = 1/|S| · Σ over the words w of S of g(w) · w; compared by cosine.

    A word counts as often as it occurs; |S| counts the known words. A sentence with no known word
    is the zero vector, which resembles nothing.

    Parameters
    ----------
    words
        The word vectors.
    weights
        g(w): as in `SFBoW`; None for 1.
    casing, punctuation, split
        How texts become words: as in `SFBoW`.
    """

    def __init__(
        self,
        words: WordVectors,
        *,
        weights: Weights = None,
        casing: AnyCasing = "auto",
        punctuation: bool = True,
        split: Split = "words",
    ) -> None:
        self._words = WeightedWords(words, weights, casing, punctuation, split)
        self.vocabulary = self._words.vocabulary
        self.tokenizer = self._words.tokenizer

    @property
    def size(self) -> int:
        """The length of a sentence vector."""
        return self._words.dim

    def encode(self, sentences: Any) -> Floats:  # noqa: ANN401
        """Turn texts into vectors: one for a string, a row each for many texts."""
        return encode_texts(sentences, self.size, self._fill)

    def _fill(self, texts: Texts | Tokens, result: Floats) -> None:
        found = self._words.of(texts)
        kernels.average(found.table, found.rows, found.bounds, result)
