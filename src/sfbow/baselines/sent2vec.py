"""Sent2Vec: the average of the vectors of words and word n-grams (Pagliardini et al. 2018)."""

from pathlib import Path
from typing import Any

from sfbow import kernels
from sfbow.baselines.cosine import CosineModel
from sfbow.baselines.texts import AnyCasing, Floats, encode_texts, tokenizer_for
from sfbow.inputs import Tokens
from sfbow.lookup import find
from sfbow.readers.sent2vec_binary import read_word_ngrams
from sfbow.text import Split, Texts
from sfbow.vectors import WordVectors


class Sent2Vec(CosineModel):
    """v(S) = 1/|R| · Σ over R of r; R: the rows of S's words and their n-grams' buckets.

    The n-grams are of neighbouring known words, as unknown ones are dropped first. Texts are cut
    at white space and looked up as written, which is what sent2vec does; texts that are not yet
    cut and lower-cased want ``casing="lower", split="words"``.

    Parameters
    ----------
    path
        A .bin file that sent2vec has written.
    casing, punctuation, split
        How texts become words: as in `SFBoW`.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        casing: AnyCasing = "keep",
        punctuation: bool = True,
        split: Split = "spaces",
    ) -> None:
        self._ngrams = read_word_ngrams(path)
        self._words = WordVectors.load(path)
        self.vocabulary = self._words.vocabulary
        self.tokenizer = tokenizer_for(self.vocabulary, casing, punctuation, split)

    @property
    def size(self) -> int:
        """The length of a sentence vector."""
        return self._words.dim

    def encode(self, sentences: Any) -> Floats:  # noqa: ANN401
        """Turn texts into vectors: one for a string, a row each for many texts."""
        return encode_texts(sentences, self.size, self._fill)

    def _fill(self, texts: Texts | Tokens, result: Floats) -> None:
        found = find(texts, self.vocabulary, self.tokenizer)
        kernels.average_with_ngrams(
            self._words.matrix,
            self._ngrams.buckets,
            self._ngrams.longest,
            found.rows,
            found.bounds,
            result,
        )
