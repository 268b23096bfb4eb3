"""word2vec's first line: how many words, and how many numbers each."""

import re
from codecs import getincrementaldecoder
from dataclasses import dataclass

from sfbow.errors import VectorFileError
from sfbow.readers.window import LARGEST_RECORD, Window

# Possessive, as no number of digits may make a search take long.
NUMBER = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_HEADER = re.compile(rb"([+-]?\d+)[ \t]+([+-]?\d+)[ \t]*(?:\r?\n|\Z)")
_LONGEST = 1000
_MOST_DIGITS = 18
_CONTROL = re.compile(rb"[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class Header:
    """The first line's two numbers, in the bounds of reason, and its length."""

    count: int
    dim: int
    length: int


def find_header(window: Window) -> Header | None:
    """Read the first line if it is a header: two whole numbers and nothing else."""
    match = _HEADER.match(window.peek(_LONGEST))
    if not match:
        return None
    count, dim = (_natural(number) for number in match.groups())
    if count is None or dim is None or 2 * dim > LARGEST_RECORD:
        raise VectorFileError(
            window.source.path,
            "line 1",
            expected="a number of words and a number of dimensions",
            found=_shortened(match[0]),
            cure="check that this is a file of word vectors",
        )
    return Header(count, dim, match.end())


def _natural(digits: bytes) -> int | None:
    number = int(digits) if len(digits) <= _MOST_DIGITS else 0
    return number if number > 0 else None


def _shortened(line: bytes) -> str:
    text = line.strip().decode("ascii")
    return repr(text if len(text) <= 50 else text[:50] + "…")


def check_size(window: Window, header: Header, smallest_row: int) -> None:
    """Refuse a header that promises more rows than the file has room for."""
    size = window.source.size
    if size is None:
        return
    # The last row needs no line end.
    rest = size - window.position + 1
    if header.count * smallest_row > rest:
        raise VectorFileError(
            window.source.path,
            "line 1",
            expected=f"a header for the {max(rest - 1, 0)} bytes behind it",
            found=f"{header.count} words of {header.dim} dimensions",
            cure="the file is cut short or its header wrong: get it again",
        )


def rows_are_text(window: Window, header: Header) -> bool:
    """Say whether decimal numbers follow the header, or binary ones.

    They are text if the first line ends with a number, as hardly any binary row does, or if the
    bytes where the first binary vector would be are UTF-8 without control characters.
    """
    rest = window.peek(len(window))[header.length :].lstrip(b"\r\n")
    line, _, _ = rest.partition(b"\n")
    _, space, last = line.removesuffix(b"\r").rstrip(b" ").rpartition(b" ")
    if space and NUMBER.fullmatch(last):
        return True
    _, _, vector = rest.partition(b" ")
    sample = vector[: 4 * header.dim]
    try:
        # The last character may be cut off.
        getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(sample)
