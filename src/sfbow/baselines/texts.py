"""What the baselines do with texts: cut them, find their words' vectors, go through them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.inputs import Tokens, batches, counted, pack
from sfbow.lookup import find
from sfbow.memberships import ComputedMemberships
from sfbow.text import Casing, Split, Texts, Tokenizer, gather, lower_case
from sfbow.universe import Universe
from sfbow.unknown import UnknownWords
from sfbow.vectors import WordVectors
from sfbow.vocabulary import Vocabulary
from sfbow.weights import Weights, word_weights

Floats = NDArray[np.float32]
AnyCasing = Casing | Literal["auto"]

BATCH = 4096  # texts at a time


def tokenizer_for(
    vocabulary: Vocabulary, casing: AnyCasing, punctuation: bool, split: Split
) -> Tokenizer:
    """Take the options of SFBoW: "auto" is "both" where the vocabulary knows capitals."""
    if casing == "auto":
        casing = "both" if vocabulary.is_cased else "lower"
    return Tokenizer(casing, punctuation, split)


def encode_texts(
    sentences: Any,  # noqa: ANN401
    size: int,
    fill: Callable[[Texts | Tokens, Floats], None],
) -> Floats:
    """Give a vector for a string, a row each for many texts; ``fill`` writes those of a batch."""
    if isinstance(sentences, str):
        vector: Floats = encode_texts([sentences], size, fill)[0]
        return vector
    sentences = counted(sentences)
    result = np.empty((len(sentences), size), np.float32)
    start = 0
    for batch in batches(sentences, BATCH):
        fill(pack(batch, start), result[start : start + len(batch)])
        start += len(batch)
    return result


def pairs_of(left: Any, right: Any) -> tuple[list[Any], list[Any]]:  # noqa: ANN401
    """Give both sides of pairs as lists."""
    a, b = list(counted(left)), list(counted(right))
    if len(a) != len(b):
        raise InputError(f"texts: expected as many twice, found {len(a)} and {len(b)}; give pairs")
    return a, b


@dataclass(frozen=True)
class Sentences:
    """Sentence i has the words with the vectors ``table[rows[bounds[i]:bounds[i + 1]]]``."""

    table: Floats
    rows: NDArray[np.int32]
    bounds: NDArray[np.int64]


class WeightedWords:
    """Word vectors g(w) · w, found for the words of texts.

    A word that is unknown is left out, or composed where the vectors know subwords; it then has
    the largest weight, as a word that is rare has.
    """

    def __init__(
        self,
        words: WordVectors,
        weights: Weights,
        casing: AnyCasing,
        punctuation: bool,
        split: Split,
    ) -> None:
        self.dim = words.dim
        self.vocabulary = words.vocabulary
        self.tokenizer = tokenizer_for(words.vocabulary, casing, punctuation, split)
        factors = word_weights(words, weights)
        identity = Universe.identity(words.dim)
        self._known = ComputedMemberships(words.matrix, factors, identity)
        self._unknown = None
        if words.subwords is not None:
            weight = float(factors.max(initial=0))
            self._unknown = UnknownWords(words.subwords, identity, weight)

    def of(self, texts: Texts | Tokens) -> Sentences:
        """Find the vectors of all words of some texts."""
        is_composing = self._unknown is not None
        found = find(texts, self.vocabulary, self.tokenizer, places=is_composing)
        table, rows = self._known.select(found.rows)
        unknown = found.rows < 0
        if self._unknown is not None and unknown.any():
            words = gather(found.buffer, found.starts[unknown], found.ends[unknown])
            if self.tokenizer.casing == "lower":
                words = lower_case(words)
            composed, places = self._unknown.memberships(words, np.asarray)
            rows[unknown] = np.int32(len(table)) + places
            table = np.concatenate([table, composed])
        return Sentences(np.ascontiguousarray(table, np.float32), rows, found.bounds)
