"""Characters in UTF-8: decode, encode, classify, fold. Helpers of other kernels.

``blocks`` and ``entries`` are the table that tools/make_unicode_table.py makes.
"""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.compiled import helper
from sfbow.kernels.hashing import hash_byte

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]


@helper()
def decode(buffer: U8Array, position: int, end: int) -> tuple[int, int]:
    """Give the code point at ``position`` and its width; U+FFFD and 1 where UTF-8 is broken."""
    first = np.int64(buffer[position])
    if first < 0x80:
        return first, 1
    if first >= 0xF0:
        width, code = 4, first & 0x07
    elif first >= 0xE0:
        width, code = 3, first & 0x0F
    else:
        width, code = 2, first & 0x1F
    if first < 0xC2 or first > 0xF4 or position + width > end:
        return 0xFFFD, 1
    for i in range(position + 1, position + width):
        if buffer[i] & 0xC0 != 0x80:
            return 0xFFFD, 1
        code = code << 6 | np.int64(buffer[i]) & 0x3F
    return (code, width) if code <= 0x10FFFF else (0xFFFD, 1)


@helper()
def encode(buffer: U8Array, position: int, code: int) -> int:
    """Write a code point as UTF-8 and give the position behind it."""
    if code < 0x80:
        buffer[position] = code
        return position + 1
    if code < 0x800:
        buffer[position] = 0xC0 | code >> 6
        buffer[position + 1] = 0x80 | code & 0x3F
        return position + 2
    if code < 0x10000:
        buffer[position] = 0xE0 | code >> 12
        buffer[position + 1] = 0x80 | code >> 6 & 0x3F
        buffer[position + 2] = 0x80 | code & 0x3F
        return position + 3
    buffer[position] = 0xF0 | code >> 18
    buffer[position + 1] = 0x80 | code >> 12 & 0x3F
    buffer[position + 2] = 0x80 | code >> 6 & 0x3F
    buffer[position + 3] = 0x80 | code & 0x3F
    return position + 4


@helper()
def read_character(
    buffer: U8Array,
    position: int,
    end: int,
    blocks: U8Array,
    entries: I32Array,
    folded: U8Array,
    length: int,
    value: int,
) -> tuple[int, int, int, int]:
    """Give the class of the character at ``position``, and where the next one is.

    Its lower case is written to ``folded[length:]``; the third result is the new length, and the
    fourth the hash ``value`` of what stood there, gone on with.
    """
    first = np.int64(buffer[position])
    if first < 0x80:
        entry = np.int64(entries[first])
        lower = first + (entry >> 3)
        folded[length] = lower
        return entry & 7, position + 1, length + 1, hash_byte(value, lower)
    code, width = decode(buffer, position, end)
    entry = np.int64(entries[np.int64(blocks[code >> 8]) * 256 + (code & 0xFF)])
    longer = encode(folded, length, code + (entry >> 3))
    for i in range(length, longer):
        value = hash_byte(value, folded[i])
    return entry & 7, position + width, longer, value


@helper()
def fold_word(
    buffer: U8Array,
    position: int,
    end: int,
    blocks: U8Array,
    entries: I32Array,
    folded: U8Array,
    length: int,
) -> int:
    """Write the lower case of ``buffer[position:end]`` to ``folded[length:]``; give its end."""
    while position < end:
        _, position, length, _ = read_character(
            buffer, position, end, blocks, entries, folded, length, np.uint64(0)
        )
    return length
