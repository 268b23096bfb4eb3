"""fastText's vectors of character n-grams."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    F32,
    I64,
    IN_F32_2D,
    IN_I8_2D,
    IN_I64,
    IN_U8,
    OUT_F32_2D,
    helper,
    kernel,
)

U8Array = NDArray[np.uint8]
I64Array = NDArray[np.int64]
Buckets = NDArray[np.float32] | NDArray[np.int8]

_BEGIN, _END = ord("<"), ord(">")
_END_OF_SENTENCE = tuple(b"</s>")


@helper()
def _is_end_of_sentence(buffer: U8Array, start: int, end: int) -> bool:
    if end - start != len(_END_OF_SENTENCE):
        return False
    for i in range(len(_END_OF_SENTENCE)):  # noqa: SIM110 - numba has no all()
        if buffer[start + i] != _END_OF_SENTENCE[i]:
            return False
    return True


@helper()
def _framed(buffer: U8Array, start: int, end: int, position: int) -> int:
    """Give a byte of '<word>': position -1 is before the word, its length behind it."""
    if position < 0:
        return _BEGIN
    if start + position >= end:
        return _END
    return int(buffer[start + position])


@helper()
def _continues(byte: int) -> bool:
    """Say whether a byte is inside of a UTF-8 character."""
    return byte & 0xC0 == 0x80


@helper()
def _add_ngrams(
    buffer: U8Array,
    start: int,
    end: int,
    shortest: int,
    longest: int,
    buckets: Buckets,
    scale: float,
    row: NDArray[np.float32],
) -> int:
    """Add to ``row`` the bucket of each n-gram of '<word>', times ``scale``; give their number.

    The bucket of an n-gram is its 32-bit FNV-1a modulo the number of buckets, each byte taken
    with its sign. '<' and '>' alone are no n-grams.
    """
    count = 0
    length = end - start
    for first in range(-1, length + 1):
        if _continues(_framed(buffer, start, end, first)):
            continue
        value = np.uint32(2166136261)
        position, characters = first, 0
        while position <= length and characters < longest:
            is_first_byte = True
            while position <= length and (
                is_first_byte or _continues(_framed(buffer, start, end, position))
            ):
                byte = np.int8(_framed(buffer, start, end, position))
                value = np.uint32((value ^ np.uint32(byte)) * np.uint32(16777619))
                position += 1
                is_first_byte = False
            characters += 1
            at_edge = first == -1 or position == length + 1
            if characters >= shortest and not (characters == 1 and at_edge):
                bucket = np.int64(value) % len(buckets)
                for j in range(len(row)):
                    row[j] += scale * np.float32(buckets[bucket, j])
                count += 1
    return count


@kernel(
    *(
        types.void(IN_U8, IN_I64, IN_I64, I64, I64, buckets, F32, I64, OUT_F32_2D)
        for buckets in (IN_F32_2D, IN_I8_2D)
    )
)
def average_subwords(
    buffer: U8Array,
    starts: I64Array,
    ends: I64Array,
    shortest: int,
    longest: int,
    buckets: Buckets,
    scale: float,
    present: int,
    rows: NDArray[np.float32],
) -> None:
    """Turn each row, the sum of ``present`` vectors, into their mean with those of its n-grams.

    row ← (row + Σ scale · buckets[h(g)]) / (present + number of n-grams g), or stays without any.
    The word i is ``buffer[starts[i]:ends[i]]``; '</s>' has no n-grams.
    """
    for i in range(len(starts)):
        count = present
        if not _is_end_of_sentence(buffer, starts[i], ends[i]):
            count += _add_ngrams(
                buffer, starts[i], ends[i], shortest, longest, buckets, scale, rows[i]
            )
        if count > 1:
            for j in range(rows.shape[1]):
                rows[i, j] *= F32(1.0 / count)
