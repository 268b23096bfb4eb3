"""word2vec binary: a header line, then a word, a space and float32 numbers for each row.

Newlines before a word are no part of it: the first word2vec program wrote one behind each vector.
"""

from collections.abc import Iterator
from contextlib import closing

import numpy as np

from sfbow import kernels
from sfbow.errors import VectorFileError
from sfbow.readers.binary import check_finite
from sfbow.readers.header import Header, check_size
from sfbow.readers.stream import VectorStream, WordBlock
from sfbow.readers.window import Window


def open_word2vec_binary(window: Window, header: Header, limit: int | None) -> VectorStream:
    """Open the file; its header is checked against the file's size and its rows."""
    window.use(window.start + header.length)
    check_size(window, header, 4 * header.dim + 2)
    wanted = min(header.count, limit or header.count)
    blocks = _read_blocks(window, header, wanted)
    return VectorStream(
        "word2vec binary", header.dim, None if window.source.packing else wanted, blocks
    )


def _read_blocks(window: Window, header: Header, wanted: int) -> Iterator[WordBlock]:
    found = 0
    with closing(window.source):
        while found < wanted:
            block = _next_block(window, header.dim, wanted - found)
            if len(block.rows):
                check_finite(window.source, block.rows, found, "vector")
                found += len(block.rows)
                yield block
            else:
                _check_word(window, found)
                _read_on(window, header, found)
        if wanted == header.count and not window.is_blank():
            raise VectorFileError(
                window.source.path,
                f"byte {window.position}",
                expected=f"the file's end behind {header.count} words, as its header says",
                found="more bytes",
                cure="correct the header, or get the file again",
            )


def _next_block(window: Window, dim: int, most: int) -> WordBlock:
    room = min(most, len(window) // (4 * dim + 2))
    rows = np.empty((room, dim), "<f4")
    words, offsets = np.empty(len(window), np.uint8), np.zeros(room + 1, np.int64)
    count, stop = kernels.split_rows(
        window.bytes, window.start, window.end, words, offsets, rows.view(np.uint8)
    )
    window.use(stop)
    return WordBlock(words[: offsets[count]].copy(), offsets[: count + 1], rows[:count])


def _check_word(window: Window, found: int) -> None:
    if window.peek(len(window)).lstrip(b"\n").startswith(b" "):
        raise VectorFileError(
            window.source.path,
            f"byte {window.position}",
            expected=f"word {found + 1}",
            found="an empty word",
            cure="convert the vectors again; the file may be damaged before this place",
        )


def _read_on(window: Window, header: Header, found: int) -> None:
    if not window.fill():
        raise VectorFileError(
            window.source.path,
            f"byte {window.position}",
            expected=f"{header.count} words of {header.dim} float32 numbers, as its header says",
            found=f"the file's end behind {found} words",
            cure="the file is cut short or its header wrong: get it again",
        )
