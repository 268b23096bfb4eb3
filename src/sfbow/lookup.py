"""Find the words of texts in a vocabulary."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.inputs import Tokens
from sfbow.text import Texts, Tokenizer, character_table, folding_room
from sfbow.vocabulary import Vocabulary

_NOWHERE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Found:
    """The words of text i have the rows ``rows[bounds[i]:bounds[i + 1]]``, -1 where unknown.

    Word k stands at ``buffer[starts[k]:ends[k]]``, where places were asked for.
    """

    rows: NDArray[np.int32]
    bounds: NDArray[np.int64]
    buffer: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


def find(
    texts: Texts | Tokens, vocabulary: Vocabulary, tokenizer: Tokenizer, *, places: bool = False
) -> Found:
    """Look all words up; unknown ones are left out, unless ``places`` are asked for."""
    if isinstance(texts, Tokens):
        words = texts.words
        rows = vocabulary.find(words, tokenizer.casing_code)
        found = Found(rows, texts.bounds, words.buffer, words.offsets[:-1], words.offsets[1:])
        return found if places else _without_unknown(found)
    room = int(texts.offsets[-1] - texts.offsets[0])  # as each word has at least one byte
    rows = np.empty(room, np.int32)
    bounds = np.empty(len(texts) + 1, np.int64)
    starts, ends = (np.empty(room, np.int64) if places else _NOWHERE for _ in range(2))
    kernels.find_words(
        texts.buffer,
        texts.offsets,
        *character_table(),
        vocabulary.buffer,
        vocabulary.offsets,
        vocabulary.table,
        tokenizer.casing_code,
        tokenizer.punctuation,
        tokenizer.split == "spaces",
        folding_room(texts),
        rows,
        bounds,
        starts,
        ends,
    )
    used = slice(int(bounds[-1]))
    return Found(rows[used], bounds, texts.buffer, starts[used], ends[used])


def count_repeats(
    rows: NDArray[np.int32], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Give each text's distinct rows, their bounds, and how often each occurs in the text."""
    texts = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    distinct, counts = np.unique(texts << 32 | rows, return_counts=True)
    new_bounds = np.searchsorted(distinct >> 32, np.arange(len(bounds)))
    return (distinct & 0xFFFFFFFF).astype(np.int32), new_bounds, counts.astype(np.int32)


def _without_unknown(found: Found) -> Found:
    known = found.rows >= 0
    bounds = np.concatenate([[0], np.cumsum(known)])[found.bounds]
    return Found(found.rows[known], bounds, found.buffer, found.starts[known], found.ends[known])
