"""Vectors as text, a line a word: word2vec text and fastText .vec with a header, GloVe without.

A line ends at LF; a CR before it is no part of it. Fields are parted by ASCII spaces only: every
other byte may be part of a word. The numbers are the last ``dim`` fields of a line, and what
stands before them is the word, which may have spaces itself.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import numpy as np

from sfbow import kernels
from sfbow.errors import VectorFileError
from sfbow.readers.header import NUMBER, Header, check_size
from sfbow.readers.stream import VectorStream, WordBlock
from sfbow.readers.window import Window

_FIELD = re.compile(rb"[^ ]+")
_SAMPLE_LINES = 100
_LONGEST_QUOTE = 60


def open_text_with_header(window: Window, header: Header, limit: int | None) -> VectorStream:
    """Open word2vec text; its header is checked against the file's size and its rows."""
    window.use(window.start + header.length)
    check_size(window, header, 2 * header.dim + 2)
    wanted = min(header.count, limit or header.count)
    blocks = _read_promised(window, header, wanted)
    return VectorStream(
        "word2vec text", header.dim, None if window.source.packing else wanted, blocks
    )


def open_text_without_header(window: Window, limit: int | None) -> VectorStream:
    """Open GloVe text; the dimension is what most of its first lines have."""
    dim = _usual_dimension(window)
    return VectorStream("GloVe text", dim, None, _read_all(window, dim, limit))


def _usual_dimension(window: Window) -> int:
    end = window.fill_lines()
    lines = window.peek(end - window.start).split(b"\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
    found = Counter(_trailing_numbers(line) for line in lines if line.strip())
    dim = found.most_common(1)[0][0] if found else 0
    if dim < 2:
        raise VectorFileError(
            window.source.path,
            "line 1",
            expected="a word and at least 2 numbers, parted by spaces",
            found=_quoted(lines[0]),
            cure="check that this is a file of word vectors",
        )
    return dim


def _trailing_numbers(line: bytes) -> int:
    fields = _fields(line)[1:]
    count = 0
    while count < len(fields) and NUMBER.fullmatch(line, *fields[-1 - count]):
        count += 1
    return count


def _fields(line: bytes) -> list[tuple[int, int]]:
    """Give where the fields of a line begin and end; before a space in front is an empty one."""
    spans = [match.span() for match in _FIELD.finditer(line.removesuffix(b"\r"))]
    return [(0, 0), *spans] if line.startswith(b" ") else spans


def _read_promised(window: Window, header: Header, wanted: int) -> Iterator[WordBlock]:
    found = 0
    with closing(window.source):
        for block in _read_lines(window, header.dim, 2, wanted):
            found += len(block.rows)
            yield block
        if found < wanted:
            raise VectorFileError(
                window.source.path,
                f"line {found + 2}",
                expected=f"{header.count} words, as line 1 says",
                found=f"the file's end behind {found}",
                cure="the file is cut short or its first line wrong: get it again",
            )
        if wanted == header.count and not window.is_blank():
            raise VectorFileError(
                window.source.path,
                f"line {found + 2}",
                expected=f"the file's end behind {header.count} words, as line 1 says",
                found="more lines",
                cure="correct the number in line 1, or get the file again",
            )


def _read_all(window: Window, dim: int, limit: int | None) -> Iterator[WordBlock]:
    with closing(window.source):
        yield from _read_lines(window, dim, 1, limit)


def _read_lines(window: Window, dim: int, line: int, most: int | None) -> Iterator[WordBlock]:
    """Read up to ``most`` lines; the next one is the file's line number ``line``."""
    end = None if most is None else line + most
    while line != end:
        block = _next_block(window, dim, line, None if end is None else end - line)
        if block is None:
            return
        line += len(block.rows)
        yield block


def _next_block(window: Window, dim: int, line: int, most: int | None) -> WordBlock | None:
    end = window.fill_lines()
    size = end - window.start
    if not size:
        return None
    room = size // (2 * dim + 2) + 1
    rows = np.empty((room if most is None else min(room, most), dim), np.float32)
    words, offsets = np.empty(size, np.uint8), np.zeros(len(rows) + 1, np.int64)
    count, stop = kernels.parse_lines(window.bytes, window.start, end, words, offsets, rows)
    window.use(stop)
    if count == 0:
        return _read_unusual_line(window, dim, line)
    return WordBlock(words[: offsets[count]].copy(), offsets[: count + 1], rows[:count])


def _read_unusual_line(window: Window, dim: int, number: int) -> WordBlock | None:
    """Read a line with a number that the kernel cannot round, or say what is wrong with it."""
    text = window.peek_line()
    if not text.strip(b"\r"):
        if window.is_blank():
            return None
        raise _bad_line(window, number, f"a word and {dim} numbers", "an empty line")
    fields = _fields(text)
    _check_field_count(window, number, text, fields, dim)
    vector = [_read_number(window, number, text[slice(*span)]) for span in fields[-dim:]]
    word = text[: fields[-dim - 1][1]]
    window.use(window.start + len(text) + 1)
    return WordBlock(
        np.frombuffer(word, np.uint8),
        np.array([0, len(word)], np.int64),
        np.array([vector], np.float32),
    )


def _check_field_count(
    window: Window, number: int, text: bytes, fields: list[tuple[int, int]], dim: int
) -> None:
    if len(fields) <= dim:
        found = f"{len(fields)} fields: {_quoted(text)}"
        raise _bad_line(window, number, f"a word and {dim} numbers", found)
    surplus = fields[1:-dim]
    if surplus and all(NUMBER.fullmatch(text, *span) for span in surplus):
        found = f"{len(fields) - 1}: {_quoted(text)}"
        raise _bad_line(window, number, f"{dim} numbers behind the word", found)
    if not text[: fields[-dim - 1][1]].strip(b" "):
        raise _bad_line(window, number, "a word before the numbers", _quoted(text))


def _read_number(window: Window, number: int, text: bytes) -> np.float32:
    if not NUMBER.fullmatch(text):
        raise _bad_line(window, number, "a finite decimal number", _quoted(text))
    with np.errstate(over="ignore"):
        value = np.float32(float(text))
    if not np.isfinite(value):
        raise _bad_line(window, number, "a number that float32 can hold", _quoted(text))
    return value


def _bad_line(window: Window, number: int, expected: str, found: str) -> VectorFileError:
    return VectorFileError(
        window.source.path,
        f"line {number}",
        expected=expected,
        found=found,
        cure="correct or remove the line, or get the file again",
    )


def _quoted(text: bytes) -> str:
    shown = text[:_LONGEST_QUOTE].decode("utf-8", "backslashreplace")
    return repr(shown) + ("…" if len(text) > _LONGEST_QUOTE else "")
