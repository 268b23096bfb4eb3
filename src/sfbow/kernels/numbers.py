"""Read lines of text vectors: a word, then decimal numbers, all between ASCII spaces.

A number is an optional sign, digits with at most one point among them, and an optional exponent.
It is read as decimal w · 10^e with w of at most 19 digits. Where w and 10^|e| are exact in double
precision so is the correctly rounded double; elsewhere w · 10^e is known to within 2^-50 of
itself, which settles the nearest float32 in all but one of some ten million cases. Those, like
lines that are not as they should be, are left to the caller.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import (
    I64,
    IN_U8,
    OUT_F32_2D,
    OUT_I64,
    OUT_U8,
    helper,
    kernel,
    read_only,
)
from sfbow.kernels.copying import copy_bytes

U8Array = NDArray[np.uint8]
I64Array = NDArray[np.int64]

_PAIR = types.UniTuple(I64, 2)  # type: ignore[no-untyped-call]

_SPACE, _NEWLINE, _RETURN, _PLUS, _MINUS, _POINT, _LOWER_E, _ZERO = 32, 10, 13, 43, 45, 46, 101, 48

_LARGEST_POWER = 300  # its power, and that of the opposite sign, are normal doubles
_POWERS = np.array([float(f"1e{e}") for e in range(-_LARGEST_POWER, _LARGEST_POWER + 1)])
_EXACT_POWER = 22  # 10^22 is the last power of ten that a double holds exactly
_EXACT_INTEGER = np.uint64(2**53)
_MARGIN = 2.0**-50
_MOST_DIGITS = 19  # any number of 19 digits fits into 64 bits
_FAR_EXPONENT = 10**12  # far beyond the number of digits that a line has room for


@helper()
def _is_digit(character: np.uint8) -> np.bool_:
    return np.uint8(character - _ZERO) < 10


@helper()
def _nearest(digits: np.uint64, power: int) -> tuple[np.float32, bool]:
    """Give the float32 nearest to the double nearest to ``digits`` · 10^``power``, if sure."""
    value = np.float64(digits)
    if digits == np.uint64(0):
        return np.float32(0), True
    if digits <= _EXACT_INTEGER and abs(power) <= _EXACT_POWER:
        if power < 0:
            return np.float32(value / _POWERS[_LARGEST_POWER - power]), True
        return np.float32(value * _POWERS[_LARGEST_POWER + power]), True
    if abs(power) > _LARGEST_POWER - _MOST_DIGITS:
        # Far beyond what float32 can hold, whatever the digits.
        return np.float32(0 if power < 0 else np.inf), True
    value *= _POWERS[_LARGEST_POWER + power]
    below, above = np.float32(value * (1 - _MARGIN)), np.float32(value * (1 + _MARGIN))
    return below, bool(below == above)


@helper()
def _leading_digits(buffer: U8Array, position: int) -> tuple[np.uint64, int]:
    """Give the first 19 significant digits, and how many before the point are left out.

    Digits left out change the value by less than 10^-18 of itself: far inside the margin.
    """
    value, kept, power = np.uint64(0), 0, 0
    behind_point = False
    while True:
        character = buffer[position]
        if character == _POINT:
            behind_point = True
        elif not _is_digit(character):
            return value, power
        elif kept < _MOST_DIGITS:
            value = value * np.uint64(10) + np.uint64(character - _ZERO)
            kept += int(value != np.uint64(0))
            power -= int(behind_point)
        else:
            power += int(not behind_point)
        position += 1


@helper()
def _read_exponent(buffer: U8Array, position: int) -> tuple[int, int]:
    """Read the digits behind an 'e'; a position of -1 says that there are none."""
    negative = buffer[position] == _MINUS
    if negative or buffer[position] == _PLUS:
        position += 1
    start, power = position, 0
    while _is_digit(buffer[position]):
        power = min(power * 10 + int(buffer[position] - _ZERO), _FAR_EXPONENT)
        position += 1
    return (position if position > start else -1), (-power if negative else power)


@helper()
def _read_number(buffer: U8Array, position: int) -> tuple[int, np.float32, bool]:
    """Read a number: the position behind it or -1, its value, and whether that is sure."""
    negative = buffer[position] == _MINUS
    if negative or buffer[position] == _PLUS:
        position += 1
    start, digits = position, np.uint64(0)
    while _is_digit(buffer[position]):
        digits = digits * np.uint64(10) + np.uint64(buffer[position] - _ZERO)
        position += 1
    count, power = position - start, 0
    if buffer[position] == _POINT:
        position += 1
        point = position
        while _is_digit(buffer[position]):
            digits = digits * np.uint64(10) + np.uint64(buffer[position] - _ZERO)
            position += 1
        power = point - position
        count -= power
    if count == 0:
        return -1, np.float32(0), False
    if count > _MOST_DIGITS:
        digits, power = _leading_digits(buffer, start)
    if buffer[position] | 0x20 == _LOWER_E:
        position, exponent = _read_exponent(buffer, position + 1)
        power += exponent
    value, sure = _nearest(digits, power)
    return position, (-value if negative else value), sure and bool(np.isfinite(value))


@helper()
def _read_row(
    buffer: U8Array, position: int, rows: NDArray[np.float32], row: int
) -> tuple[int, bool]:
    """Read numbers, each behind a space, up to the line's end.

    Give the position of the newline and True; or else False, and the position reached.
    """
    for column in range(rows.shape[1]):
        if buffer[position] != _SPACE:
            return position, False
        while buffer[position] == _SPACE:
            position += 1
        position, value, sure = _read_number(buffer, position)
        if position < 0 or not sure:
            return position, False
        rows[row, column] = value
    while buffer[position] == _SPACE:
        position += 1
    if buffer[position] == _RETURN:
        position += 1
    return position, buffer[position] == _NEWLINE


@helper()
def _last_fields(buffer: U8Array, start: int, end: int, count: int) -> int:
    """Give the position behind the word: before the last ``count`` fields of a line, or -1."""
    position = end
    if position > start and buffer[position - 1] == _RETURN:
        position -= 1
    while position > start and buffer[position - 1] == _SPACE:
        position -= 1
    for _ in range(count):
        while position > start and buffer[position - 1] != _SPACE:
            position -= 1
        while position > start and buffer[position - 1] == _SPACE:
            position -= 1
    return position if position > start else -1


@helper()
def _has_word_with_space(buffer: U8Array, start: int, end: int) -> bool:
    """Say whether any field behind the first is no number: else the row is only too long."""
    while start < end and buffer[start] != _SPACE:
        start += 1
    while start < end:
        while start < end and buffer[start] == _SPACE:
            start += 1
        start, _, _ = _read_number(buffer, start)
        if start < 0 or (start < end and buffer[start] != _SPACE):
            return True
    return False


@helper()
def _read_line(buffer: U8Array, start: int, rows: NDArray[np.float32], row: int) -> tuple[int, int]:
    """Read a line and give the end of its word and its newline; -1 where it is not as it should.

    The word is what stands before the first space or, if it has spaces itself, before the last
    as many fields as the rows have columns.
    """
    word_end = start
    while buffer[word_end] != _SPACE and buffer[word_end] != _NEWLINE:
        word_end += 1
    for last_attempt in (False, True):
        newline, good = _read_row(buffer, word_end, rows, row)
        if good and word_end > start:
            return word_end, newline
        if last_attempt:
            break
        newline = word_end
        while buffer[newline] != _NEWLINE:
            newline += 1
        word_end = _last_fields(buffer, start, newline, rows.shape[1])
        if word_end < 0 or not _has_word_with_space(buffer, start, word_end):
            break
    return -1, -1


@kernel(_PAIR(IN_U8, I64, I64, OUT_U8, OUT_I64, OUT_F32_2D))
def parse_lines(
    buffer: U8Array,
    start: int,
    end: int,
    words: U8Array,
    offsets: I64Array,
    rows: NDArray[np.float32],
) -> tuple[int, int]:
    """Read the lines of ``buffer[start:end]``, which ends with a newline.

    Stops when ``rows`` is full or a line is not plain; gives the rows read and the position
    of the first line that was not.
    """
    row = 0
    while start < end and row < len(rows):
        word_end, newline = _read_line(buffer, start, rows, row)
        if word_end < 0:
            break
        offsets[row + 1] = copy_bytes(buffer, start, word_end, words, offsets[row])
        start = newline + 1
        row += 1
    return row, start


@kernel(I64(read_only(types.int32, 2)))
def first_not_finite(rows: NDArray[np.int32]) -> int:
    """Give the first row with a NaN or an infinity, or -1; the float32 rows are seen as bits.

    A float32 is finite if the bits of its magnitude, as an integer, are below those of infinity.
    """
    for row in range(rows.shape[0]):
        largest = np.int32(0)
        for column in range(rows.shape[1]):
            largest = max(largest, np.int32(rows[row, column] & np.int32(0x7FFFFFFF)))
        if largest >= np.int32(0x7F800000):
            return row
    return -1
