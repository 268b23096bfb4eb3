"""A vocabulary's hash table: find and enter words. Helpers of other kernels.

The table has a power of two slots, each the row + 1 of a word, 0 where empty; a word lies in the
first slot from its hash on that was free.
"""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.compiled import helper

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]


HASH_OF_NOTHING: int = np.uint64(0xCBF29CE484222325)  # type: ignore[assignment]
_PRIME = np.uint64(0x100000001B3)


@helper()
def hash_byte(value: int, byte: int) -> int:
    """FNV-1a of 64 bits: go on with one more byte."""
    return (value ^ np.uint64(byte)) * _PRIME


@helper()
def hash_word(buffer: U8Array, start: int, end: int) -> int:
    """Hash ``buffer[start:end]``."""
    value = HASH_OF_NOTHING
    for i in range(start, end):
        value = hash_byte(value, buffer[i])
    return value


@helper()
def first_slot(value: int, table: I32Array) -> int:
    """Give the slot where a word of this hash belongs: upper bits count as much as lower ones."""
    return np.int64(value ^ value >> np.uint64(32)) & len(table) - 1


@helper()
def find_word(
    buffer: U8Array,
    start: int,
    end: int,
    value: int,
    words: U8Array,
    offsets: I32Array,
    table: I32Array,
) -> int:
    """Give the row of the word ``buffer[start:end]`` of the hash ``value``, or -1."""
    slot = first_slot(value, table)
    while table[slot] != 0:
        row = np.int64(table[slot]) - 1
        if offsets[row + 1] - offsets[row] == end - start:
            shift = offsets[row] - start
            i = start
            while i < end and buffer[i] == words[i + shift]:
                i += 1
            if i == end:
                return row
        slot = slot + 1 & len(table) - 1
    return -1


@helper()
def enter_word(buffer: U8Array, start: int, end: int, table: I32Array, row: int) -> None:
    """Enter a word that the table does not hold."""
    slot = first_slot(hash_word(buffer, start, end), table)
    while table[slot] != 0:
        slot = slot + 1 & len(table) - 1
    table[slot] = row + 1
