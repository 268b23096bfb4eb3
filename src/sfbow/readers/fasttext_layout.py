"""The head of a fastText .bin file, which sent2vec's are as well: settings, words, matrix size.

::

    int32 magic, version          int32 × 12, double: the settings of the training
    int32 entries, words, labels  int64 tokens, pruned
    entries × (word, 0 byte, int64 count, int8 kind)
    int8 quantised                int64 rows, columns, then the matrix as float32
"""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import VectorFileError
from sfbow.readers.window import Window

MAGIC = struct.pack("<i", 793712314)
_HEAD = struct.Struct("<ii iiiiiiii iiii d")
_DICTIONARY = struct.Struct("<iiiqq")
_MATRIX = struct.Struct("<?qq")
_LONGEST_NGRAM = 255  # characters: the work for a word grows with them
_ENTRY_SIZE = 10  # an empty word's
_VERSIONS = (11, 12)
SUPERVISED, SENT2VEC = 3, 4
_NAMES = {1: "cbow", 2: "skipgram", SUPERVISED: "supervised", SENT2VEC: "sent2vec"}


@dataclass(frozen=True)
class Layout:
    """What the head says; word i is ``words[offsets[i]:offsets[i + 1]]``."""

    version: int
    model: int
    dim: int
    word_ngrams: int
    buckets: int
    shortest: int
    longest: int
    words: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    matrix_start: int

    @property
    def count(self) -> int:
        """The words; the matrix has their rows first, then those of the buckets."""
        return len(self.offsets) - 1


def read_layout(window: Window) -> Layout:
    """Read and check the head, in the bounds of the file's size."""
    if window.source.packing:
        raise bad_model(
            window, f"an unpacked file, or text in {window.source.packing}",
            f"a fastText .bin in {window.source.packing}", "unpack it first",
        )  # fmt: skip
    _, version, dim, *_, word_ngrams, _, model, buckets, shortest, longest, _, _ = _take(
        window, _HEAD
    )
    if version not in _VERSIONS or model not in _NAMES:
        raise bad_model(
            window,
            "fastText's version 11 or 12, or sent2vec's version 11, with a known kind of model",
            f"version {version} with a model of kind {model}",
            "save its vectors as text in the program that wrote it",
        )
    if min(dim, word_ngrams) < 1 or min(buckets, longest) < 0 or longest > _LONGEST_NGRAM:
        raise bad_model(
            window,
            "settings that are possible",
            f"{dim} dimensions, {word_ngrams}-grams of words, {shortest} to {longest} "
            f"characters in {buckets} buckets",
            "the file is damaged: get it again",
        )
    words, offsets = _read_words(window)
    rows = _matrix_rows(window, dim)
    if rows < len(offsets) - 1 + buckets * (model == SENT2VEC or longest > 0):
        raise bad_model(
            window,
            f"a row for each of {len(offsets) - 1} words and {buckets} buckets",
            f"{rows} rows",
            "the file is damaged: get it again",
        )
    return Layout(
        version, model, dim, word_ngrams, buckets, shortest, longest, words, offsets,
        window.position,
    )  # fmt: skip


def _take(window: Window, layout: struct.Struct) -> tuple[int, ...]:
    if len(window) < layout.size:
        window.fill()
    data = window.peek(layout.size)
    if len(data) < layout.size:
        raise _cut_short(window)
    window.use(window.start + layout.size)
    return layout.unpack(data)


def _read_words(window: Window) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    entries, count, labels, _, pruned = _take(window, _DICTIONARY)
    size = window.source.size or 0
    if not 0 < count <= entries <= (size - window.position) // _ENTRY_SIZE or labels < 0:
        raise bad_model(
            window,
            f"a dictionary in the {size} bytes of the file",
            f"{count} words and {labels} labels in {entries} entries",
            "the file is damaged: get it again",
        )
    words: list[NDArray[np.uint8]] = []
    lengths: list[NDArray[np.int64]] = []
    kinds: list[NDArray[np.uint8]] = []
    left = entries
    while left:
        block_words, block_offsets, block_kinds = _next_entries(window, left)
        words.append(block_words)
        lengths.append(np.diff(block_offsets))
        kinds.append(block_kinds)
        left -= len(block_kinds)
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(lengths)[:count])])
    _check_kinds(window, np.concatenate(kinds), np.diff(offsets), count)
    if pruned >= 0 and not window.peek(1) == b"\1":
        raise bad_model(
            window,
            "all buckets of n-grams",
            "a pruned dictionary, which fastText itself no longer reads",
            "get a newer file of this model",
        )
    return np.concatenate(words)[: offsets[-1]], offsets


def _next_entries(
    window: Window, left: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    while True:
        room = min(left, len(window) // _ENTRY_SIZE)
        words, kinds = np.empty(len(window), np.uint8), np.empty(room, np.uint8)
        offsets = np.zeros(room + 1, np.int64)
        count, stop = kernels.split_entries(
            window.bytes, window.start, window.end, words, offsets, kinds
        )
        window.use(stop)
        if count:
            return words[: offsets[count]].copy(), offsets[: count + 1], kinds[:count]
        if not window.fill():
            raise _cut_short(window)


def _check_kinds(
    window: Window, kinds: NDArray[np.uint8], lengths: NDArray[np.int64], count: int
) -> None:
    if kinds[:count].any() or not kinds[count:].all() or not lengths.all():
        raise bad_model(
            window,
            f"{count} words, none of them empty, and behind them the labels",
            "a dictionary in another order",
            "the file is damaged: get it again",
        )


def _matrix_rows(window: Window, dim: int) -> int:
    quantised, rows, columns = _take(window, _MATRIX)
    if quantised:
        raise bad_model(
            window,
            "float32 vectors",
            "quantised ones (.ftz)",
            "give the .bin file that it was made from, or save its vectors as text",
        )
    size = window.source.size or 0
    if rows < 0 or columns != dim or rows * columns * 4 > size - window.position:
        raise bad_model(
            window,
            f"a matrix of {dim} columns in the {size - window.position} bytes that are left",
            f"{rows} rows and {columns} columns",
            "the file is cut short or damaged: get it again",
        )
    return rows


def bad_model(window: Window, expected: str, found: str, cure: str) -> VectorFileError:
    """Make an error that names the place reached."""
    where = f"byte {window.position}"
    return VectorFileError(window.source.path, where, expected=expected, found=found, cure=cure)


def _cut_short(window: Window) -> VectorFileError:
    return bad_model(
        window, "a whole fastText model", "the file's end", "it is cut short: get it again"
    )
