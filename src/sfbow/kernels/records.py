"""Find words and vectors in the records of binary vector files.

Records are read from a window of a file; one that the window cuts off is left for the next.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import I64, IN_U8, OUT_I64, OUT_U8, kernel, writable
from sfbow.kernels.copying import copy_bytes

U8Array = NDArray[np.uint8]
I64Array = NDArray[np.int64]

_PAIR = types.UniTuple(I64, 2)  # type: ignore[no-untyped-call]

_NEWLINE, _SPACE = 10, 32


@kernel(_PAIR(IN_U8, I64, I64, OUT_U8, OUT_I64, writable(types.uint8, 2)))
def split_rows(
    buffer: U8Array,
    start: int,
    end: int,
    words: U8Array,
    offsets: I64Array,
    rows: NDArray[np.uint8],
) -> tuple[int, int]:
    """Read word2vec's records: newlines (or none), a word, a space, the bytes of a vector.

    Gives the rows read and the position of the first record that was not: because ``rows`` is
    full, the record is cut off or its word is empty.
    """
    size = rows.shape[1]
    row = 0
    while row < len(rows):
        word_start = start
        while word_start < end and buffer[word_start] == _NEWLINE:
            word_start += 1
        word_end = word_start
        while word_end < end and buffer[word_end] != _SPACE:
            word_end += 1
        if word_end + 1 + size > end or word_end == word_start:
            break
        offsets[row + 1] = copy_bytes(buffer, word_start, word_end, words, offsets[row])
        start = word_end + 1 + size
        copy_bytes(buffer, word_end + 1, start, rows[row], 0)
        row += 1
    return row, start


@kernel(_PAIR(IN_U8, I64, I64, OUT_U8, OUT_I64, OUT_U8))
def split_entries(
    buffer: U8Array,
    start: int,
    end: int,
    words: U8Array,
    offsets: I64Array,
    kinds: U8Array,
) -> tuple[int, int]:
    """Read fastText's dictionary: a word, a zero byte, a count of 8 bytes, a kind of one byte.

    Gives the entries read and the position of the first that was not: because ``kinds`` is full
    or the entry is cut off.
    """
    entry = 0
    while entry < len(kinds):
        word_end = start
        while word_end < end and buffer[word_end] != 0:
            word_end += 1
        if word_end + 10 > end:
            break
        offsets[entry + 1] = copy_bytes(buffer, start, word_end, words, offsets[entry])
        kinds[entry] = buffer[word_end + 9]
        start = word_end + 10
        entry += 1
    return entry, start
