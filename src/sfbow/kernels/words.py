"""Cut texts into words and find the words in a vocabulary."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.characters import read_character
from sfbow.kernels.codes import EXTENDING, SPACE, SYMBOL, WORD
from sfbow.kernels.compiled import (
    BOOL,
    I64,
    IN_I32,
    IN_I64,
    IN_U8,
    OUT_I32,
    OUT_I64,
    OUT_U8,
    kernel,
)
from sfbow.kernels.hashing import HASH_OF_NOTHING
from sfbow.kernels.lookup import find_cased

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]


@kernel(
    types.void(
        IN_U8, IN_I64, IN_U8, IN_I32, IN_U8, IN_I32, IN_I32,
        I64, BOOL, BOOL, OUT_U8, OUT_I32, OUT_I64, OUT_I64, OUT_I64,
    )
)  # fmt: skip
def find_words(
    buffer: U8Array,
    texts: I64Array,
    blocks: U8Array,
    entries: I32Array,
    words: U8Array,
    offsets: I32Array,
    table: I32Array,
    casing: int,
    symbols: bool,
    only_spaces: bool,
    folded: U8Array,
    rows: I32Array,
    bounds: I64Array,
    starts: I64Array,
    ends: I64Array,
) -> None:
    """Cut each text ``buffer[texts[i]:texts[i + 1]]`` and look its words up.

    A word is a run of word characters and what extends them, a symbol a word of its own, if
    ``symbols``; with ``only_spaces`` a word is whatever stands between white space. The rows of
    text i become ``rows[bounds[i]:bounds[i + 1]]``. Unknown words are left out; or, where
    ``starts`` and ``ends`` have room for every word, these tell its place and its row is -1.
    ``folded`` needs three bytes for each of the longest text.
    """
    count = 0
    bounds[0] = 0
    for i in range(len(texts) - 1):
        end = texts[i + 1]
        position = texts[i]
        while position < end:
            start = position
            kind, position, length, value = read_character(
                buffer, position, end, blocks, entries, folded, 0, HASH_OF_NOTHING
            )
            if kind == SPACE or not (only_spaces or kind == WORD or (kind == SYMBOL and symbols)):
                continue
            while (only_spaces or kind == WORD) and position < end:
                following, behind, longer, further = read_character(
                    buffer, position, end, blocks, entries, folded, length, value
                )
                if following == SPACE or not (only_spaces or following in (WORD, EXTENDING)):
                    break
                position, length, value = behind, longer, further
            row = find_cased(
                buffer, start, position, folded, length, value, words, offsets, table, casing
            )
            if len(starts) > 0:
                starts[count] = start
                ends[count] = position
            elif row < 0:
                continue
            rows[count] = row
            count += 1
        bounds[i + 1] = count
