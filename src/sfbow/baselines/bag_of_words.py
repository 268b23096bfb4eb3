"""The crisp bag of words: how often each word occurs."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfbow.baselines.cosine import cosine, cosine_pairwise
from sfbow.baselines.texts import AnyCasing, Floats, encode_texts, pairs_of, tokenizer_for
from sfbow.errors import InputError, OptionError
from sfbow.inputs import Tokens, counted, pack
from sfbow.lookup import count_repeats, find
from sfbow.measures import MEASURES, similarity, similarity_pairwise
from sfbow.text import Split, Texts
from sfbow.vectors import WordVectors
from sfbow.vocabulary import Vocabulary

BagMeasure = Literal["cosine", "jaccard", "otsuka", "dice"]

_DENSE = 1 << 30  # bytes


class BagOfWords:
    """μ[i] = c(w_i), how often word i of the vocabulary occurs; compared by cosine or as sets.

    Unknown words are left out. Pairs of texts are compared without vectors as long as the
    vocabulary, which `encode` makes only as far as they fit into 1 GiB.

    Parameters
    ----------
    words
        The vocabulary: word vectors, or any words.
    measure
        The similarity: "cosine", or "jaccard", "otsuka" or "dice" of the counts as memberships.
    casing, punctuation, split
        How texts become words: as in `SFBoW`.
    """

    def __init__(
        self,
        words: WordVectors | Iterable[str],
        *,
        measure: BagMeasure = "cosine",
        casing: AnyCasing = "auto",
        punctuation: bool = True,
        split: Split = "words",
    ) -> None:
        if measure != "cosine" and measure not in MEASURES:
            expected = " or ".join(["cosine", *MEASURES])
            raise OptionError("measure", expected=expected, found=measure)
        if isinstance(words, str):
            raise InputError(
                "words: expected word vectors or a list of words, found a string; "
                "put it into a list"
            )
        self._measure = measure
        self.vocabulary = (
            words.vocabulary if isinstance(words, WordVectors) else Vocabulary.of(words)
        )
        self.tokenizer = tokenizer_for(self.vocabulary, casing, punctuation, split)

    @property
    def size(self) -> int:
        """The length of a sentence vector."""
        return len(self.vocabulary)

    def encode(self, sentences: Any) -> Floats:  # noqa: ANN401
        """Turn texts into counts: a vector for a string, a row each for many texts."""
        if not isinstance(sentences, str):
            sentences = counted(sentences)
            if 4 * len(sentences) * self.size > _DENSE:
                raise InputError(
                    f"sentences: expected a matrix of counts of 1 GiB at most, found "
                    f"{len(sentences)} by {self.size} words; use similarity_of_texts, or give "
                    "fewer words or sentences"
                )
        return encode_texts(sentences, self.size, self._fill)

    def _fill(self, texts: Texts | Tokens, result: Floats) -> None:
        keys, counts = self._counts(texts)
        result[:] = 0
        result[keys >> 32, keys & 0xFFFFFFFF] = counts

    def _counts(self, texts: Texts | Tokens) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Give text · 2³² + row for each distinct word of each text, and its count there."""
        found = find(texts, self.vocabulary, self.tokenizer)
        rows, bounds, counts = count_repeats(found.rows, found.bounds)
        text = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
        return text << 32 | rows, counts

    def similarity(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Compare each row of ``a`` with each row of ``b``."""
        if self._measure == "cosine":
            return cosine(a, b)
        return similarity(a, b, measure=self._measure)

    def similarity_pairwise(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """Compare each row of ``a`` with the same row of ``b``."""
        if self._measure == "cosine":
            return cosine_pairwise(a, b)
        return similarity_pairwise(a, b, measure=self._measure)

    def similarity_of_texts(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Compare each text of ``left`` with the same of ``right``.

        Cosine: Σ a·b / √(Σ a² · Σ b²); the others as SFBoW's, with counts as memberships.
        """
        sides = pairs_of(left, right)
        (keys_a, a), (keys_b, b) = (self._counts(pack(side)) for side in sides)
        common, in_a, in_b = np.intersect1d(keys_a, keys_b, assume_unique=True, return_indices=True)
        total = _totals(len(sides[0]))
        if self._measure == "cosine":
            squares = total(keys_a, a**2.0) * total(keys_b, b**2.0)
            shared = total(common, a[in_a] * b[in_b].astype(np.float64))
            lengths = np.sqrt(squares)
            ratio = np.divide(shared, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
            return np.minimum(ratio, 1).astype(np.float32)
        sums = (total(common, np.minimum(a[in_a], b[in_b])), total(keys_a, a), total(keys_b, b))
        return MEASURES[self._measure](*(values.astype(np.float32) for values in sums))


def _totals(
    texts: int,
) -> Callable[[NDArray[np.int64], NDArray[Any]], NDArray[np.float64]]:
    """Give a function that sums values by the text in their keys."""

    def total(keys: NDArray[np.int64], values: NDArray[Any]) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = np.zeros(texts)
        sums += np.bincount(keys >> 32, weights=values, minlength=texts)
        return sums

    return total
