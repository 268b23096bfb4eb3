"""The rows of the experiment: every universe of the paper, and what it is compared with."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from sfbow.baselines import (
    AverageOfWords,
    BagOfWords,
    DynaMax,
    FuzzyBagOfWords,
    Sent2Vec,
    SifEmbedding,
)
from sfbow.model import SFBoW
from sfbow.universe import Metric, Universe
from sfbow.vectors import WordVectors

CENTROIDS = (100, 1000, 10_000, 25_000)
# The paper gives the ends of its sweeps, not the steps.
EUCLIDEAN_RADII = (3.0, 4.0, 5.0, 6.0, 7.0, 8.0)
COSINE_RADII = (0.10, 0.15, 0.20, 0.25, 0.30, 0.35, 0.40, 0.45, 0.50, 0.55)


class Source:
    """An embedding: its vectors and the subsets of them that universes are made of."""

    def __init__(self, name: str, path: Path) -> None:
        self.name = name
        self.path = path

    @cached_property
    def words(self) -> WordVectors:
        """All words; read when they are first needed."""
        return WordVectors.load(self.path)

    @cached_property
    def english(self) -> WordVectors:
        """The words of the English dictionary."""
        return self.words.in_dictionary()

    def forget(self) -> None:
        """Let go of what was read: all embeddings at once may not fit into memory."""
        for name in ("words", "english"):
            self.__dict__.pop(name, None)

    def subset(self, name: str) -> WordVectors:
        """Give "english", or the most frequent words, as in "top50000"."""
        if name == "english":
            return self.english
        return self.words.most_frequent(int(name.removeprefix("top")))


Build = Callable[[Source, int], tuple[Any, Universe | None]]


@dataclass(frozen=True)
class Row:
    """A row of the experiment; ``build`` makes its model from an embedding and a seed.

    ``cost`` is about how many seconds it takes. ``made_of`` is for rows that need no embedding:
    the model's folder, or what else tells it from others under the same name.
    """

    name: str
    cost: float
    build: Build
    made_of: str | Path = ""


def _paper(source: Source, universe: Universe) -> tuple[SFBoW, Universe]:
    return SFBoW.paper(source.words, universe), universe


def _identity(source: Source, _: int) -> tuple[SFBoW, Universe]:
    return _paper(source, Universe.identity(source.words.dim))


def _pca(source: Source, _: int, *, subset: str) -> tuple[SFBoW, Universe]:
    return _paper(source, Universe.pca(source.subset(subset)))


def _clustering(
    source: Source, seed: int, *, make: Callable[..., Universe], subset: str, k: int
) -> tuple[SFBoW, Universe]:
    return _paper(source, make(source.subset(subset), k, seed=seed))


def _dbscan(
    source: Source, _: int, *, subset: str, eps: float, metric: Metric
) -> tuple[SFBoW, Universe]:
    return _paper(source, Universe.dbscan(source.subset(subset), eps, metric=metric))


def _recommended(source: Source, seed: int) -> tuple[SFBoW, Universe]:
    universe = Universe.ica(source.subset("top50000"), seed=seed).signed()
    return SFBoW(source.words, universe), universe


def _universes() -> Iterator[Row]:
    yield Row("identity", 1, _identity)
    for subset in ("english", "top100000"):
        yield Row(f"pca-{subset}", 1, partial(_pca, subset=subset))
    yield Row("recommended", 10, _recommended)


def _clusterings() -> Iterator[Row]:
    plans = (
        ("kmeans", Universe.kmeans, "english"),
        ("kmeans", Universe.kmeans, "top100000"),
        ("spherical", Universe.spherical_kmeans, "top50000"),
    )
    for k in CENTROIDS:
        for name, make, subset in plans:
            build = partial(_clustering, make=make, subset=subset, k=k)
            yield Row(f"{name}-{subset}-{k}", 1 + k / 500, build)


def _densities() -> Iterator[Row]:
    sweeps: tuple[tuple[Metric, str, tuple[float, ...]], ...] = (
        ("cosine", "top50000", COSINE_RADII),
        ("euclidean", "english", EUCLIDEAN_RADII),
        ("euclidean", "top100000", EUCLIDEAN_RADII),
    )
    for metric, subset, radii in sweeps:
        for eps in radii:
            build = partial(_dbscan, subset=subset, eps=eps, metric=metric)
            yield Row(f"dbscan-{metric}-{subset}-{eps:g}", 25, build)


def _sent2vec(source: Source, _: int) -> tuple[Sent2Vec, None]:
    return Sent2Vec(source.path, casing="lower", split="words"), None


def _baselines() -> Iterator[Row]:
    yield Row("average", 1, lambda source, _: (AverageOfWords(source.words), None))
    yield Row("sif", 1, lambda source, _: (SifEmbedding(source.words, transductive=True), None))
    yield Row("dynamax", 2, lambda source, _: (DynaMax(source.words), None))
    yield Row("bag-of-words", 1, lambda source, _: (BagOfWords(source.words), None))
    yield Row("fuzzy-bag-of-words", 5, lambda source, _: (FuzzyBagOfWords(source.words), None))


def rows_of(source: Source) -> tuple[Row, ...]:
    """Give the rows of an embedding, the quick ones first."""
    # Before all others, as it alone tells whether the file is sent2vec's own.
    first = [Row("sent2vec", 1, _sent2vec)] if source.name == "Sent2Vec" else []
    return (*first, *_universes(), *_baselines(), *_clusterings(), *_densities())
