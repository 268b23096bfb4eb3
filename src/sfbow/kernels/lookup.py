"""Look a word up under a rule of casing. A helper of other kernels."""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.codes import AS_GIVEN, LOWERED
from sfbow.kernels.compiled import helper
from sfbow.kernels.hashing import find_word, hash_word

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]


@helper()
def find_cased(
    buffer: U8Array,
    start: int,
    end: int,
    folded: U8Array,
    length: int,
    value: int,
    words: U8Array,
    offsets: I32Array,
    table: I32Array,
    casing: int,
) -> int:
    """Give the row of the word ``buffer[start:end]``, or -1.

    In lower case it is ``folded[:length]``, which has the hash ``value``.
    """
    if casing != LOWERED:
        given = hash_word(buffer, start, end)
        row = find_word(buffer, start, end, given, words, offsets, table)
        if row >= 0 or casing == AS_GIVEN:
            return row
    return find_word(folded, 0, length, value, words, offsets, table)
