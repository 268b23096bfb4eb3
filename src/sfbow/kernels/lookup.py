"""Look a word up under a rule of casing. A helper of other kernels."""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.codes import AS_GIVEN, LOWERED
from sfbow.kernels.compiled import helper
from sfbow.kernels.hashing import find_word

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]


@helper()
def find_cased(
    buffer: U8Array,
    start: int,
    end: int,
    folded: U8Array,
    length: int,
    words: U8Array,
    offsets: I32Array,
    table: I32Array,
    casing: int,
) -> int:
    """Give the row of the word ``buffer[start:end]``, in lower case ``folded[:length]``, or -1."""
    if casing != LOWERED:
        row = find_word(buffer, start, end, words, offsets, table)
        if row >= 0 or casing == AS_GIVEN:
            return row
    return find_word(folded, 0, length, words, offsets, table)
