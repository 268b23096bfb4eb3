"""Where training starts: a vector for each word, from the teacher or from other vectors."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfbow.builders.decomposition import gram, independent_axes, principal_axes
from sfbow.distill.composition import fit_subwords
from sfbow.distill.words import FrequentWords
from sfbow.errors import InputError
from sfbow.memberships import whole_table
from sfbow.model_folder import KIND, ModelParts, open_model
from sfbow.storage import folder_kind
from sfbow.vectors import WordVectors
from sfbow.vocabulary import Vocabulary, pack_words

Table = NDArray[np.float32]
_DIM = 256
_ICA_WORDS, _ICA_ROUNDS = 50_000, 200
# Folders of models whose words are as long as they shall weigh.
_WEIGHTED = ("model2vec folder", "StaticEmbedding folder")


@dataclass(frozen=True)
class GivenStart:
    """Words with vectors, that other words are composed from.

    ``is_weighted`` tells that lengths are weights already, and ``is_rotated`` that the axes are
    fuzzy sets already, which a rotation would destroy.
    """

    words: list[str]
    table: Table
    unknown: "WordVectors | ModelParts"
    is_weighted: bool
    is_rotated: bool

    def vectors(self, words: list[str]) -> Table:
        """Give the vectors of words, composed where they are unknown."""
        packed = pack_words(words)
        rows = Vocabulary.of(self.words).find_exact(packed)
        vectors = self.table[rows]
        missing = np.flatnonzero(rows < 0)
        if len(missing):
            vectors[missing] = self._composed([words[row] for row in missing])
        return vectors

    def _composed(self, words: list[str]) -> Table:
        packed = pack_words(words)
        if isinstance(self.unknown, ModelParts) and self.unknown.unknown is not None:
            table, rows = self.unknown.unknown.memberships(packed, np.asarray)
            return table[rows]
        known = self.unknown.subwords if isinstance(self.unknown, WordVectors) else None
        subwords = known or fit_subwords(self.words, self.table)
        return subwords.compose(packed.buffer, packed.offsets[:-1], packed.offsets[1:])


def open_start(path: Path) -> GivenStart:
    """Open a model of sfbow, a folder of model2vec or StaticEmbedding, or word vectors."""
    if folder_kind(path) == KIND:
        parts = open_model(path)
        table = whole_table(parts.memberships)
        return GivenStart(parts.vocabulary.words, table, parts, True, True)
    words = WordVectors.load(path)
    is_weighted = words.format in _WEIGHTED
    return GivenStart(words.words, np.array(words.matrix), words, is_weighted, False)


def start_table(
    vectors: Table, words: FrequentWords, *, dim: int | None, sif: float | None
) -> Table:
    """Keep the first principal axes, turn them to be independent, and weigh by frequency."""
    axes = principal_axes(gram(vectors))[: dim or _DIM].astype(np.float32)
    table = _independent(vectors @ axes.T)
    return table if sif is None else table * words.sif(sif)[:, None]


def _independent(table: Table) -> Table:
    """Rotate by FastICA, which needs words that vary in all dimensions; others stay."""
    points = table[:_ICA_WORDS]
    try:
        found = independent_axes(
            points,
            gram(points),
            iterations=_ICA_ROUNDS,
            tolerance=1e-4,
            seed=0,  # one start for all runs, so that their mean is a model as well
            show_progress_bar=False,
        )
    except InputError:
        return table
    return table @ found.axes.T.astype(np.float32)


def given_table(given: GivenStart, words: FrequentWords, *, dim: int | None, sif: float) -> Table:
    """Give the start for words, from vectors that are there."""
    vectors = given.vectors(words.words)
    if not given.is_rotated:
        return start_table(vectors, words, dim=dim, sif=None if given.is_weighted else sif)
    if dim not in (None, vectors.shape[1]):
        raise InputError(
            f"dim: expected {vectors.shape[1]}, the axes of the model to start from, found {dim}; "
            "leave it out"
        )
    return vectors
