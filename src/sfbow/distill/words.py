"""The words that a model is to know, the most frequent first, and how frequent they are."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow.coverage import measure_coverage
from sfbow.errors import InputError
from sfbow.text import Tokenizer
from sfbow.vocabulary import Vocabulary

TOKENIZER = Tokenizer(casing="lower", punctuation=False)


@dataclass(frozen=True)
class FrequentWords:
    """Words, and how often each of them occurs, the most frequent first."""

    words: list[str]
    counts: NDArray[np.float64]

    def sif(self, a: float) -> NDArray[np.float32]:
        """Give a / (a + p(w)), with p the share of each word."""
        shares = self.counts / self.counts.sum()
        weights: NDArray[np.float32] = (a / (a + shares)).astype(np.float32)
        return weights


def frequent_words(texts: Iterable[str], listed: Iterable[str], most: int) -> FrequentWords:
    """Take the listed words, and of the texts' other words the most frequent, ``most`` in all.

    A listed word that the texts lack counts as if it stood in them once.
    """
    found = measure_coverage(texts, Vocabulary.of([]), TOKENIZER).unknown
    wanted = dict.fromkeys(_single(listed))
    kept = _most_frequent(wanted, found, most)
    others = [word for word in found if word not in wanted]
    kept += _most_frequent(others, found, most - len(kept))
    ordered = _most_frequent(kept, found, most)
    if not ordered:
        raise InputError("texts: expected words, found none; give texts with letters in them")
    return FrequentWords(ordered, np.array([max(1, found[word]) for word in ordered], float))


def ranked_words(listed: Iterable[str], most: int) -> FrequentWords:
    """Take words from the most frequent on, their frequencies guessed: 1 / (rank + 2.7)."""
    words = list(dict.fromkeys(_single(listed)))[:most]
    if not words:
        raise InputError("word list: expected words, found none; give words with letters in them")
    return FrequentWords(words, 1 / (np.arange(len(words)) + 2.7))


def _most_frequent(words: Iterable[str], found: Counter[str], most: int) -> list[str]:
    return sorted(words, key=lambda word: -found[word])[:most]


def _single(words: Iterable[str]) -> Sequence[str]:
    """Give the lower case of what the model would see as a single word."""
    lowered = [word.lower() for word in words]
    cut = measure_coverage(lowered, Vocabulary.of([]), TOKENIZER).unknown
    return [word for word in lowered if word in cut]
