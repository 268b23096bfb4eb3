"""A vocabulary's hash table: find and enter words. Helpers of other kernels.

The table has a power of two slots, each the row + 1 of a word, 0 where empty; a word lies in the
first slot from its hash on that was free.
"""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.compiled import helper

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]


@helper()
def hash_word(buffer: U8Array, start: int, end: int) -> int:
    """FNV-1a of 64 bits, its upper half folded into the lower."""
    value = np.uint64(0xCBF29CE484222325)
    for i in range(start, end):
        value = (value ^ np.uint64(buffer[i])) * np.uint64(0x100000001B3)
    return value ^ value >> np.uint64(32)


@helper()
def find_word(
    buffer: U8Array, start: int, end: int, words: U8Array, offsets: I32Array, table: I32Array
) -> int:
    """Give the row of the word ``buffer[start:end]``, or -1."""
    mask = len(table) - 1
    slot = np.int64(hash_word(buffer, start, end)) & mask
    while table[slot] != 0:
        row = np.int64(table[slot]) - 1
        if offsets[row + 1] - offsets[row] == end - start:
            shift = offsets[row] - start
            i = start
            while i < end and buffer[i] == words[i + shift]:
                i += 1
            if i == end:
                return row
        slot = slot + 1 & mask
    return -1


@helper()
def enter_word(buffer: U8Array, start: int, end: int, table: I32Array, row: int) -> None:
    """Enter a word that the table does not hold."""
    slot = np.int64(hash_word(buffer, start, end)) & len(table) - 1
    while table[slot] != 0:
        slot = slot + 1 & len(table) - 1
    table[slot] = row + 1
