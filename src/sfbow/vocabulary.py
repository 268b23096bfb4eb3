"""A vocabulary: words in one UTF-8 buffer, and the hash table that finds their rows."""

from collections.abc import Iterable
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import InputError
from sfbow.mapped import check_whole
from sfbow.text import Texts, character_table, folding_room

Number = TypeVar("Number", bound=np.generic)


class Vocabulary:
    """Distinct words: word i is ``buffer[offsets[i]:offsets[i + 1]]``; ``table`` finds it."""

    def __init__(
        self, buffer: NDArray[np.uint8], offsets: NDArray[np.int32], table: NDArray[np.int32]
    ) -> None:
        self.buffer = buffer
        self.offsets = offsets
        self.table = table

    @classmethod
    def of(cls, words: Iterable[str]) -> "Vocabulary":
        """Take words; of equal ones the first counts."""
        builder = VocabularyBuilder()
        builder.add(pack_words(words))
        return builder.finish()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.row(word) >= 0

    def row(self, word: str) -> int:
        """Give the row of a word as it is written, or -1."""
        return int(self.find_exact(pack_words([word]))[0])

    def find_exact(self, words: Texts) -> NDArray[np.int32]:
        """Give the row of each word as it is written, -1 for unknown ones."""
        self._check_whole()
        rows = np.empty(len(words), np.int32)
        kernels.find_exact(words.buffer, words.offsets, self.buffer, self.offsets, self.table, rows)
        return rows

    def find(self, tokens: Texts, casing: int) -> NDArray[np.int32]:
        """Give the row of each token, -1 for unknown ones."""
        self._check_whole()
        rows = np.empty(len(tokens), np.int32)
        kernels.find_tokens(
            tokens.buffer,
            tokens.offsets,
            *character_table(),
            self.buffer,
            self.offsets,
            self.table,
            casing,
            folding_room(tokens),
            rows,
        )
        return rows

    def is_sound(self, count: int) -> bool:
        """Whether it has ``count`` words, and no look-up leaves its arrays."""
        offsets, table, slots = self.offsets, self.table, len(self.table)
        return (
            len(offsets) == count + 1
            and offsets[0] == 0
            and offsets[-1] == len(self.buffer)
            and bool((offsets[1:] >= offsets[:-1]).all())
            and slots > count
            and slots & (slots - 1) == 0
            and int(table.min(initial=0)) == 0
            and int(table.max(initial=0)) <= count
            and int(np.count_nonzero(table)) == count
        )

    @property
    def texts(self) -> Texts:
        """The words as texts."""
        self._check_whole()
        return Texts(self.buffer, self.offsets.astype(np.int64))

    @cached_property
    def words(self) -> list[str]:
        """All words as strings; a byte that is no UTF-8 becomes a lone surrogate."""
        texts = self.texts
        data, offsets = texts.buffer.tobytes(), texts.offsets.tolist()
        return [
            data[start:stop].decode("utf-8", "surrogateescape") for start, stop in pairwise(offsets)
        ]

    @cached_property
    def is_cased(self) -> bool:
        """Whether one word in a hundred or more has a capital letter of ASCII."""
        self._check_whole()
        capitals = np.flatnonzero((self.buffer >= ord("A")) & (self.buffer <= ord("Z")))
        rows = np.searchsorted(self.offsets, capitals, side="right")
        return len(rows) > 0 and 100 * len(np.unique(rows)) >= len(self)

    def _check_whole(self) -> None:
        check_whole(self.buffer, self.offsets, self.table)

    def take(self, rows: NDArray[np.int64]) -> "Vocabulary":
        """Keep some rows, in the order given."""
        builder = VocabularyBuilder()
        builder.add(self.texts.take(rows))
        return builder.finish()


class VocabularyBuilder:
    """A vocabulary that still grows, up to 2 GiB; its table is never more than half full."""

    def __init__(self) -> None:
        self._buffer = np.empty(1 << 10, np.uint8)
        self._offsets = np.zeros(1 << 7, np.int32)
        self._table = np.zeros(1 << 7, np.int32)
        self._count = 0

    def add(self, words: Texts) -> NDArray[np.bool_]:
        """Append the words that are new, and tell which they are."""
        self._make_room(len(words.buffer), len(words))
        is_new = np.empty(len(words), np.bool_)
        self._count = kernels.add_words(
            words.buffer,
            words.offsets,
            self._buffer,
            self._offsets,
            self._count,
            self._table,
            is_new,
        )
        return is_new

    def _make_room(self, data: int, words: int) -> None:
        used = int(self._offsets[self._count]) + data
        if used > np.iinfo(np.int32).max:
            raise InputError(
                f"vocabulary: expected at most 2 GiB of words, found {used} bytes; take fewer"
            )
        self._buffer = _grown(self._buffer, used)
        self._offsets = _grown(self._offsets, self._count + words + 1)
        slots = 1 << (2 * (self._count + words)).bit_length()
        if slots > len(self._table):
            self._table = np.zeros(slots, np.int32)
            kernels.fill_table(self._buffer, self._offsets, self._count, self._table)

    def finish(self) -> Vocabulary:
        """Give the vocabulary."""
        offsets = self._offsets[: self._count + 1].copy()
        return Vocabulary(self._buffer[: offsets[-1]].copy(), offsets, self._table)


def _grown(array: NDArray[Number], size: int) -> NDArray[Number]:
    if size <= len(array):
        return array
    larger = np.empty(max(size, 2 * len(array)), array.dtype)
    larger[: len(array)] = array
    return larger


def pack_words(words: Iterable[str]) -> Texts:
    """Put words into one buffer; the reverse of `Vocabulary.words`."""
    return Texts.of_bytes([_encode(word) for word in words])


def _encode(word: str) -> bytes:
    try:
        return word.encode("utf-8", "surrogateescape")
    except AttributeError:
        raise InputError(
            f"words: expected strings, found {type(word).__name__}; convert them with str"
        ) from None
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return word.encode("utf-8", "surrogatepass")
