"""Word vectors: a vocabulary and a matrix, rows in the order of frequency."""

import warnings
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError, SfbowWarning
from sfbow.mapped import check_whole, row_blocks
from sfbow.matrices import checked_matrix
from sfbow.options import check_count
from sfbow.readers import open_vectors
from sfbow.readers.stream import VectorStream, WordBlock
from sfbow.safetensors import TensorSource
from sfbow.storage import damaged, is_folder, open_folder, save_folder
from sfbow.subwords import Subwords
from sfbow.tensors import (
    open_subwords,
    open_vocabulary,
    subword_config,
    subword_tensors,
    vocabulary_tensors,
)
from sfbow.text import Texts
from sfbow.vocabulary import Vocabulary, VocabularyBuilder, pack_words
from sfbow.wordlists import english_words, read_words

Rows = NDArray[np.float32]
_KIND = "word vectors"
_F32 = np.dtype(np.float32)


class WordVectors:
    """Words and their vectors W (n × d), the most frequent word first.

    ``ranks`` tells the place that each word had among all words of its source: a subset keeps it,
    as weights by frequency depend on it. ``subwords`` compose the vectors of other words.
    """

    def __init__(
        self, words: Iterable[str], matrix: NDArray[Any], *, subwords: Subwords | None = None
    ) -> None:
        builder = VocabularyBuilder()
        packed = pack_words(words)
        if not builder.add(packed).all():
            raise InputError("words: expected distinct ones, found some twice; keep one of each")
        checked = checked_matrix(matrix, "matrix")
        if len(checked) != len(packed):
            raise InputError(
                f"matrix: expected {len(packed)} rows, one for each word, found {len(checked)}; "
                "give as many words as rows"
            )
        if subwords is not None and subwords.buckets.shape[1] != checked.shape[1]:
            raise InputError(
                f"subwords: expected {checked.shape[1]} dimensions, as the words have, "
                f"found {subwords.buckets.shape[1]}; fit them to these vectors"
            )
        self._set(builder.finish(), checked, None, subwords, "arrays")

    def _set(
        self,
        vocabulary: Vocabulary,
        matrix: Rows,
        ranks: NDArray[np.int64] | None,
        subwords: Subwords | None,
        source: str,
    ) -> None:
        self.vocabulary = vocabulary
        self._matrix = matrix.view()
        self._matrix.flags.writeable = False
        self._ranks = ranks
        self.subwords = subwords
        self.format = source

    @classmethod
    def _of(
        cls,
        vocabulary: Vocabulary,
        matrix: Rows,
        ranks: NDArray[np.int64] | None,
        subwords: Subwords | None,
        source: str,
    ) -> "WordVectors":
        vectors = cls.__new__(cls)
        vectors._set(vocabulary, matrix, ranks, subwords, source)
        return vectors

    @classmethod
    def load(cls, path: str | Path, *, limit: int | None = None) -> "WordVectors":
        """Load word vectors; the format is found from the content.

        ``limit`` reads only the first rows. A folder of `save` is mapped, not read.
        """
        if limit is not None:
            check_count("limit", limit, least=1)
        if is_folder(Path(path)):
            vectors = cls._open(Path(path))
            return vectors if limit is None else vectors.most_frequent(limit)
        stream = open_vectors(path, limit=limit)
        reader = _DistinctWords(stream, path)
        matrix = np.empty((stream.count or 0, stream.dim), np.float32)
        used = 0
        for rows in reader.rows():
            if used + len(rows) > len(matrix):
                matrix.resize((used * 9 // 8 + len(rows), stream.dim), refcheck=False)
            matrix[used : used + len(rows)] = rows
            used += len(rows)
        matrix.resize((used, stream.dim), refcheck=False)
        return cls._of(reader.vocabulary(), matrix, None, stream.subwords, stream.format)

    @classmethod
    def convert(
        cls, path: str | Path, folder: str | Path, *, limit: int | None = None
    ) -> "WordVectors":
        """Turn a vector file of any size into a folder, in little memory, and open it."""
        stream = open_vectors(path, limit=limit)
        reader = _DistinctWords(stream, path)

        def files() -> Iterator[tuple[str, dict[str, TensorSource]]]:
            yield "vectors", {"vectors": TensorSource(_F32, (stream.dim,), reader.rows())}
            yield from _common_files(reader.vocabulary(), stream.subwords)

        save_folder(Path(folder), _KIND, _config(stream.format, stream.subwords), files())
        return cls._open(Path(folder))

    def save(self, folder: str | Path) -> None:
        """Write a folder that `load` maps: it opens at once, whatever its size."""

        def files() -> Iterator[tuple[str, dict[str, TensorSource]]]:
            tensors = {"vectors": TensorSource(_F32, (self.dim,), row_blocks(self.matrix))}
            if self._ranks is not None:
                tensors["ranks"] = TensorSource.whole(self._ranks)
            yield "vectors", tensors
            yield from _common_files(self.vocabulary, self.subwords)

        save_folder(Path(folder), _KIND, _config(self.format, self.subwords), files())

    @classmethod
    def _open(cls, path: Path) -> "WordVectors":
        folder = open_folder(path, _KIND)
        matrix = folder.tensor("vectors", "f4", 2)
        vocabulary = open_vocabulary(folder, len(matrix))
        ranks = folder.tensor("ranks", "i8", 1) if "ranks" in folder.tensors else None
        if ranks is not None and (len(ranks) != len(matrix) or ranks.min(initial=0) < 0):
            found = f"{len(ranks)}, or negative ones"
            raise damaged(path, "ranks", f"{len(matrix)} places from 0", found)
        subwords = open_subwords(folder, matrix.shape[1])
        return cls._of(vocabulary, matrix, ranks, subwords, str(folder.config.get("source")))

    @property
    def matrix(self) -> Rows:
        """The vectors W, a row for each word."""
        check_whole(self._matrix)
        return self._matrix

    @property
    def words(self) -> list[str]:
        """The words, in the order of the rows."""
        return self.vocabulary.words

    @property
    def dim(self) -> int:
        """The length d of a vector."""
        return int(self._matrix.shape[1])

    @property
    def ranks(self) -> NDArray[np.int64]:
        """The place of each word among all words of the source, from 0."""
        return np.arange(len(self)) if self._ranks is None else self._ranks

    def __len__(self) -> int:
        return len(self._matrix)

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __getitem__(self, word: str) -> Rows:
        row = self.vocabulary.row(word)
        if row >= 0:
            known: Rows = self.matrix[row]
            return known
        if self.subwords is None:
            raise KeyError(word)
        packed = pack_words([word])
        starts, ends = packed.offsets[:-1], packed.offsets[1:]
        composed: Rows = self.subwords.compose(packed.buffer, starts, ends)[0]
        return composed

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self):,} words, {self.dim} dimensions, {self.format}>"

    def most_frequent(self, count: int) -> "WordVectors":
        """Keep the first words; there may be fewer."""
        check_count("count", count, least=1)
        return self._take(np.arange(min(count, len(self))))

    def in_dictionary(self, dictionary: str | Path | Iterable[str] | None = None) -> "WordVectors":
        """Keep the words of a dictionary, whatever their case.

        The dictionary is a file with a word a line, or any words; English if it is not given.
        """
        known = english_words() if dictionary is None else read_words(dictionary)
        kept = [row for row, word in enumerate(self.words) if word.lower() in known]
        if not kept:
            raise InputError(
                f"dictionary: expected some of the {len(self)} words in it, found none; "
                "give a dictionary of the vectors' language"
            )
        return self._take(np.array(kept))

    def _take(self, rows: NDArray[np.int64]) -> "WordVectors":
        if len(rows) == len(self):
            return self
        # The first rows need no copy of what may be a mapped matrix.
        matrix = self.matrix[: len(rows)] if rows[-1] == len(rows) - 1 else self.matrix[rows]
        vocabulary = self.vocabulary.take(rows)
        return self._of(vocabulary, matrix, self.ranks[rows], self.subwords, self.format)


class _DistinctWords:
    """The blocks of a stream without words that came before; warns of them at the end."""

    def __init__(self, stream: VectorStream, path: str | Path) -> None:
        self._stream = stream
        self._path = path
        self._builder = VocabularyBuilder()
        self._repeated = 0
        self._undecodable = 0

    def rows(self) -> Iterator[Rows]:
        """Yield the vectors of new words."""
        for block in self._stream.blocks:
            is_new = self._builder.add(Texts(block.buffer, block.offsets))
            repeated = len(is_new) - int(is_new.sum())
            self._repeated += repeated
            self._undecodable += _undecodable(block)
            yield block.rows[is_new] if repeated else block.rows
        self._warn(self._repeated, "words that came before; the first of each counts")
        self._warn(self._undecodable, "words that are no UTF-8; their bytes are kept")

    def _warn(self, count: int, what: str) -> None:
        if count:
            warnings.warn(f"{self._path}: {count} {what}", SfbowWarning, stacklevel=4)

    def vocabulary(self) -> Vocabulary:
        """Give the distinct words."""
        return self._builder.finish()


def _undecodable(block: WordBlock) -> int:
    # If the whole is UTF-8 and no word begins within a character, then each word is UTF-8.
    starts = block.offsets[:-1][np.diff(block.offsets) > 0]
    data = block.buffer.tobytes()
    if _is_utf8(data) and not ((block.buffer[starts] & 0xC0) == 0x80).any():
        return 0
    bounds = block.offsets.tolist()
    return sum(not _is_utf8(data[start:stop]) for start, stop in pairwise(bounds))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _config(source: str, subwords: Subwords | None) -> dict[str, Any]:
    return {"source": source, "subwords": subword_config(subwords)}


def _common_files(
    vocabulary: Vocabulary, subwords: Subwords | None
) -> Iterator[tuple[str, dict[str, TensorSource]]]:
    yield "words", vocabulary_tensors(vocabulary)
    if subwords is not None:
        yield "subwords", subword_tensors(subwords)
