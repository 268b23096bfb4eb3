"""fastText .bin: a word's vector is the mean of its own and those of its character n-grams."""

from collections.abc import Iterator
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from sfbow.readers.binary import check_finite, read_rows
from sfbow.readers.fasttext_layout import SUPERVISED, Layout, bad_model
from sfbow.readers.source import Source
from sfbow.readers.stream import VectorStream, WordBlock
from sfbow.readers.window import Window
from sfbow.subwords import Subwords

_BLOCK_SIZE = 4 << 20


def open_fasttext(window: Window, layout: Layout, limit: int | None) -> VectorStream:
    """Open a model whose head is read; the buckets are read at once, the words in blocks."""
    count = min(layout.count, limit or layout.count)
    subwords = _read_subwords(window, layout)
    blocks = read_words(window.source, layout, count, subwords)
    return VectorStream("fastText binary", layout.dim, count, blocks, subwords)


def _read_subwords(window: Window, layout: Layout) -> Subwords | None:
    # Classifiers of version 11 were trained without n-grams whatever their settings say.
    if layout.longest == 0 or (layout.version == 11 and layout.model == SUPERVISED):
        return None
    if layout.buckets == 0:
        raise bad_model(
            window, "buckets for the n-grams", "none", "the file is damaged: get it again"
        )
    buckets = read_buckets(window.source, layout)
    return Subwords(layout.shortest, layout.longest, buckets)


def read_buckets(source: Source, layout: Layout) -> NDArray[np.float32]:
    """Read the rows behind those of the words."""
    source.seek(layout.matrix_start + 4 * layout.dim * layout.count)
    buckets = read_rows(source, layout.buckets, layout.dim)
    check_finite(source, buckets, 0, "bucket")
    return buckets


def read_words(
    source: Source, layout: Layout, count: int, subwords: Subwords | None
) -> Iterator[WordBlock]:
    """Read the first ``count`` words, block by block."""
    size = max(1, _BLOCK_SIZE // (4 * layout.dim))
    with closing(source):
        source.seek(layout.matrix_start)
        for first in range(0, count, size):
            offsets = layout.offsets[first : min(first + size, count) + 1]
            rows = read_rows(source, len(offsets) - 1, layout.dim)
            check_finite(source, rows, first, "word")
            if subwords:
                subwords.complete(rows, layout.words, offsets[:-1], offsets[1:])
            words = layout.words[offsets[0] : offsets[-1]]
            yield WordBlock(words, offsets - offsets[0], rows)
