"""sent2vec .bin: fastText's layout, the buckets holding n-grams of words.

A sentence's vector there is the mean of the rows of its words and word n-grams, so a word's
vector is its own row. (sent2vec's command print-word-vectors also adds the buckets that the
word's character n-grams fall into, which its training never meant for them.)
"""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import VectorFileError
from sfbow.readers.fasttext_binary import read_buckets, read_words
from sfbow.readers.fasttext_layout import MAGIC, SENT2VEC, Layout, read_layout
from sfbow.readers.source import Source
from sfbow.readers.stream import VectorStream
from sfbow.readers.window import Window


@dataclass(frozen=True)
class WordNgrams:
    """The vectors of word n-grams, of two words up to ``longest``.

    The n-gram of the words in rows a, b, c, … is in the bucket h modulo the number of buckets,
    where h = ((a · 116049371 + b) · 116049371 + c) … in 64 bits.
    """

    longest: int
    buckets: NDArray[np.float32]


def open_sent2vec(window: Window, layout: Layout, limit: int | None) -> VectorStream:
    """Open a model whose head is read; its n-grams are left where they are."""
    count = min(layout.count, limit or layout.count)
    blocks = read_words(window.source, layout, count, None)
    return VectorStream("sent2vec binary", layout.dim, count, blocks)


def read_word_ngrams(path: str | Path) -> WordNgrams:
    """Read the n-grams of a sent2vec model into memory."""
    with closing(Source(Path(path))) as source:
        window = Window(source)
        window.fill()
        layout = read_layout(window) if window.peek(4) == MAGIC else None
        if layout is None or layout.model != SENT2VEC:
            raise VectorFileError(
                path,
                expected="a sent2vec model",
                found="something else",
                cure="give a .bin file that sent2vec has written",
            )
        return WordNgrams(layout.word_ngrams, read_buckets(source, layout))
