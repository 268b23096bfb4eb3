"""Build a vocabulary."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import I64, IN_I32, IN_I64, IN_U8, OUT_BOOL, OUT_I32, OUT_U8, kernel
from sfbow.kernels.copying import copy_bytes
from sfbow.kernels.hashing import enter_word, find_word, hash_word

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]


@kernel(I64(IN_U8, IN_I64, OUT_U8, OUT_I32, I64, OUT_I32, OUT_BOOL))
def add_words(
    buffer: U8Array,
    bounds: I64Array,
    words: U8Array,
    offsets: I32Array,
    count: int,
    table: I32Array,
    is_new: NDArray[np.bool_],
) -> int:
    """Append to a vocabulary of ``count`` words those that it lacks; give the new count."""
    for i in range(len(bounds) - 1):
        start, end = bounds[i], bounds[i + 1]
        value = hash_word(buffer, start, end)
        is_new[i] = find_word(buffer, start, end, value, words, offsets, table) < 0
        if is_new[i]:
            offsets[count + 1] = copy_bytes(buffer, start, end, words, offsets[count])
            enter_word(buffer, start, end, table, count)
            count += 1
    return count


@kernel(types.void(IN_U8, IN_I32, I64, OUT_I32))
def fill_table(words: U8Array, offsets: I32Array, count: int, table: I32Array) -> None:
    """Enter ``count`` distinct words into an empty table."""
    for row in range(count):
        enter_word(words, offsets[row], offsets[row + 1], table, row)


@kernel(types.void(IN_U8, IN_I64, IN_U8, IN_I32, IN_I32, OUT_I32))
def find_exact(
    buffer: U8Array,
    bounds: I64Array,
    words: U8Array,
    offsets: I32Array,
    table: I32Array,
    rows: I32Array,
) -> None:
    """Look words up as they are written: ``rows[i]`` is the row of word i, or -1."""
    for i in range(len(bounds) - 1):
        start, end = bounds[i], bounds[i + 1]
        value = hash_word(buffer, start, end)
        rows[i] = find_word(buffer, start, end, value, words, offsets, table)


@kernel(types.void(IN_U8, IN_I64, IN_I64, OUT_U8))
def gather_bytes(buffer: U8Array, starts: I64Array, ends: I64Array, target: U8Array) -> None:
    """Copy stretches of a buffer, one behind the other."""
    position = 0
    for i in range(len(starts)):
        position = copy_bytes(buffer, starts[i], ends[i], target, position)
