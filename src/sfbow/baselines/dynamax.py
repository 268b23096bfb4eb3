"""DynaMax: fuzzy sets over a universe of the pair's own words (Zhelezniak et al. 2019)."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.baselines.texts import AnyCasing, Floats, WeightedWords, pairs_of
from sfbow.errors import InputError
from sfbow.inputs import pack
from sfbow.measures import MinimumMeasure, measure_function
from sfbow.parallel import map_ordered, thread_count
from sfbow.text import Split
from sfbow.vectors import WordVectors
from sfbow.weights import Weights

_PAIRS = 1024  # at a time
_LARGEST = np.finfo(np.float32).max / 2  # mass of a set, so that two together are finite


class DynaMax:
    """σ(μ_A, μ_B), where μ_S[u] = max(0, max over the words w of S of w · u).

    The universe of a pair has a row u for each word of A and each of B, as often as it occurs;
    all words are g(w) · w. A text with no known word resembles nothing. There are no vectors of
    single sentences: only pairs can be compared. The time for a pair grows with the square of its
    words.

    Parameters
    ----------
    words
        The word vectors.
    measure
        The similarity σ: "jaccard", "otsuka" or "dice".
    weights
        g(w): as in `SFBoW`; None for 1.
    casing, punctuation, split
        How texts become words: as in `SFBoW`.
    """

    def __init__(
        self,
        words: WordVectors,
        *,
        measure: MinimumMeasure = "jaccard",
        weights: Weights = None,
        casing: AnyCasing = "auto",
        punctuation: bool = True,
        split: Split = "words",
    ) -> None:
        self._compare = measure_function(measure)
        self._words = WeightedWords(words, weights, casing, punctuation, split)
        self.vocabulary = self._words.vocabulary
        self.tokenizer = self._words.tokenizer

    def similarity_of_texts(
        self, left: Sequence[str], right: Sequence[str], *, threads: int | None = None
    ) -> Floats:
        """Compare each text of ``left`` with the same of ``right``."""
        a, b = pairs_of(left, right)

        def compare(start: int) -> Floats:
            pairs = slice(start, start + _PAIRS)
            return self._compare_sides(a[pairs], b[pairs], start)

        def results() -> Iterator[Floats]:
            yield np.empty(0, np.float32)
            starts = range(0, len(a), _PAIRS)
            yield from map_ordered(compare, starts, thread_count(threads))

        return np.concatenate(list(results()))

    def _compare_sides(self, left: Sequence[Any], right: Sequence[Any], first: int) -> Floats:
        a, b = (self._words.of(pack(side, first)) for side in (left, right))
        shared, mass_a, mass_b = (np.empty(len(left), np.float32) for _ in range(3))
        longest = _longest(a.bounds) + _longest(b.bounds)
        room = np.empty((2, longest), np.float32)
        kernels.overlap_in_own_universe(
            a.table, a.rows, a.bounds, b.table, b.rows, b.bounds, room, shared, mass_a, mass_b
        )
        if not ((mass_a <= _LARGEST).all() and (mass_b <= _LARGEST).all()):
            raise InputError(
                "words: expected vectors with finite products, found too large ones; "
                "scale them down"
            )
        return self._compare(shared, mass_a, mass_b)


def _longest(bounds: NDArray[np.int64]) -> int:
    return int(np.diff(bounds).max(initial=0))
