"""The universe: the fuzzy sets that words belong to, more or less."""

import math
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfbow.builders.decomposition import gram, independent_axes, principal_axes
from sfbow.errors import OptionError
from sfbow.matrices import Matrix, checked_matrix, directions, frozen, is_identity
from sfbow.options import check_count, check_flag, check_positive
from sfbow.universe_report import UniverseReport

if TYPE_CHECKING:
    from sfbow.vectors import WordVectors

Metric = Literal["euclidean", "cosine"]
Floats = tuple[float, ...]


class Universe:
    """A universe matrix U (u × d): word w belongs to fuzzy set j with membership (U · w)[j].

    A signed universe has the fuzzy sets of U and, below them, those of −U, which are not stored.

    Parameters
    ----------
    matrix
        U, or its upper half if `signed`: finite numbers, a row for each fuzzy set.
    signed
        Whether −U belongs to the universe as well.
    report
        What is known about how the matrix came about.
    """

    def __init__(
        self,
        matrix: NDArray[Any],
        *,
        signed: bool = False,
        report: UniverseReport | None = None,
    ) -> None:
        self.axes = frozen(checked_matrix(matrix, "universe matrix"))
        check_flag("signed", signed)
        self.is_signed = bool(signed)
        self.is_identity = is_identity(self.axes)
        self.report = report or UniverseReport(kind="matrix")

    @property
    def matrix(self) -> Matrix:
        """The whole universe matrix, in a signed universe with −U below U."""
        return frozen(np.concatenate([self.axes, -self.axes])) if self.is_signed else self.axes

    @property
    def size(self) -> int:
        """The number u of fuzzy sets."""
        return len(self.axes) * (2 if self.is_signed else 1)

    @property
    def dim(self) -> int:
        """The dimension d of the word vectors that fit."""
        return int(self.axes.shape[1])

    def signed(self) -> "Universe":
        """Return this universe with −U below U; a signed universe is returned as it is."""
        if self.is_signed:
            return self
        return Universe(self.axes, signed=True, report=self.report)

    def __repr__(self) -> str:
        sign = ", signed" if self.is_signed else ""
        return f"<Universe: {self.report.kind}{sign}, {self.size} fuzzy sets, d = {self.dim}>"

    @classmethod
    def identity(cls, dim: int) -> "Universe":
        """Take each dimension of the word vectors as a fuzzy set: U = I."""
        check_count("dim", dim, least=1)
        return cls(np.eye(dim, dtype=np.float32), report=UniverseReport(kind="identity"))

    @classmethod
    def pca(cls, words: "WordVectors", *, show_progress_bar: bool = False) -> "Universe":
        """Take the principal axes: the eigenvectors of WᵀW, W not centred, by falling eigenvalue.

        Each axis is turned so that its largest entry in absolute value is positive.
        """
        started = perf_counter()
        points = _points(words)
        products = gram(points, show_progress_bar=show_progress_bar)
        axes = principal_axes(products)
        return cls(
            axes,
            report=UniverseReport(
                kind="pca",
                words=len(points),
                seconds=perf_counter() - started,
                explained_variance=_explained(axes, products, len(points)),
            ),
        )

    @classmethod
    def ica(
        cls,
        words: "WordVectors",
        *,
        iterations: int = 200,
        tolerance: float = 1e-4,
        seed: int = 0,
        show_progress_bar: bool = False,
    ) -> "Universe":
        """Take independent axes: the orthogonal factor of FastICA's unmixing matrix.

        The axes come by falling explained variance, each turned towards the words' long tail.

        Parameters
        ----------
        words
            The word vectors W, at least as many as they have dimensions.
        iterations
            The most rounds to do.
        tolerance
            Stop when no axis turns further than this in a round: 1 − |cos| of old and new.
        seed
            The seed of the random start.
        show_progress_bar
            Whether to show a progress bar on standard error.
        """
        check_count("iterations", iterations, least=1)
        check_count("seed", seed, least=0)
        check_positive("tolerance", tolerance, most=1)
        started = perf_counter()
        points = _points(words)
        products = gram(points)
        found = independent_axes(
            points,
            products,
            iterations=iterations,
            tolerance=tolerance,
            seed=seed,
            show_progress_bar=show_progress_bar,
        )
        return cls(
            found.axes,
            report=UniverseReport(
                kind="ica",
                words=len(points),
                seconds=perf_counter() - started,
                seed=seed,
                iterations=found.iterations,
                converged=found.converged,
                explained_variance=_explained(found.axes, products, len(points)),
            ),
        )

    @classmethod
    def kmeans(
        cls,
        words: "WordVectors",
        k: int,
        *,
        iterations: int = 25,
        seed: int = 0,
        show_progress_bar: bool = False,
    ) -> "Universe":
        """Take the centroids of k clusters of words, found by k-means.

        Parameters
        ----------
        words
            The word vectors W.
        k
            The number of clusters, which is u.
        iterations
            The most rounds to do; it ends earlier when no word changes its cluster.
        seed
            The seed by which the first centroids are drawn from the words.
        show_progress_bar
            Whether to show a progress bar on standard error.
        """
        return cls._centroids(
            _points(words),
            k,
            spherical=False,
            iterations=iterations,
            seed=seed,
            show_progress_bar=show_progress_bar,
        )

    @classmethod
    def spherical_kmeans(
        cls,
        words: "WordVectors",
        k: int,
        *,
        iterations: int = 25,
        seed: int = 0,
        show_progress_bar: bool = False,
    ) -> "Universe":
        """Take the centroids, of length 1, of k clusters of words of similar direction.

        Words are scaled to length 1, which needs a copy; zero vectors are left out. The sums of
        squares of the report are those of the scaled words. Options are those of `kmeans`.
        """
        return cls._centroids(
            directions(_points(words)),
            k,
            spherical=True,
            iterations=iterations,
            seed=seed,
            show_progress_bar=show_progress_bar,
        )

    @classmethod
    def _centroids(
        cls,
        points: Matrix,
        k: int,
        *,
        spherical: bool,
        iterations: int,
        seed: int,
        show_progress_bar: bool,
    ) -> "Universe":
        # Clustering loads numba, which universes that are at hand do without.
        from sfbow.builders.kmeans import kmeans
        from sfbow.builders.partition import cluster_means, sums_of_squares

        check_count("iterations", iterations, least=1)
        check_count("seed", seed, least=0)
        check_count("k", k, least=1)
        if k > len(points):
            raise OptionError("k", expected=f"at most the {len(points)} words", found=k)
        started = perf_counter()
        found = kmeans(
            points,
            k,
            spherical=spherical,
            iterations=iterations,
            seed=seed,
            show_progress_bar=show_progress_bar,
        )
        sums = sums_of_squares(points, found.labels, cluster_means(points, found.labels, k))
        return cls(
            found.centroids,
            report=UniverseReport(
                kind="spherical_kmeans" if spherical else "kmeans",
                words=len(points),
                seconds=perf_counter() - started,
                seed=seed,
                iterations=found.iterations,
                converged=found.converged,
                clusters=k,
                wcsos=sums.within,
                bcsos=sums.between,
            ),
        )

    @classmethod
    def dbscan(
        cls,
        words: "WordVectors",
        eps: float,
        *,
        metric: Metric = "euclidean",
        min_samples: int = 5,
        show_progress_bar: bool = False,
    ) -> "Universe":
        """Take the centroids of the clusters that DBSCAN finds; noise is left out.

        Parameters
        ----------
        words
            The word vectors W.
        eps
            The radius ε: words at most this far apart are neighbours.
        metric
            "euclidean", or "cosine" for 1 − cos, from 0 to 2; a zero vector then is noise.
        min_samples
            The neighbours, itself included, that make a word the core of a cluster.
        show_progress_bar
            Whether to show a progress bar on standard error.
        """
        # Clustering loads numba, which universes that are at hand do without.
        from sfbow.builders.dbscan import dbscan
        from sfbow.builders.partition import NOISE, cluster_means, sums_of_squares

        if metric not in ("euclidean", "cosine"):
            raise OptionError("metric", expected="'euclidean' or 'cosine'", found=metric)
        check_positive("eps", eps, most=2 if metric == "cosine" else math.inf)
        check_count("min_samples", min_samples, least=1)
        started = perf_counter()
        points = _points(words)
        labels = np.full(len(points), NOISE, dtype=np.int64)
        if metric == "cosine":
            # ‖a − b‖² = 2 · (1 − cos) for vectors of length 1.
            labels[points.any(axis=1)] = dbscan(
                directions(points), 2 * eps, min_samples, show_progress_bar=show_progress_bar
            )
        else:
            labels = dbscan(points, eps * eps, min_samples, show_progress_bar=show_progress_bar)
        clusters = int(labels.max()) + 1
        if clusters == 0:
            raise OptionError("eps", expected="a radius that gives clusters, try more", found=eps)
        means = cluster_means(points, labels, clusters)
        sums = sums_of_squares(points, labels, means)
        return cls(
            means,
            report=UniverseReport(
                kind="dbscan",
                words=len(points),
                seconds=perf_counter() - started,
                clusters=clusters,
                noise_share=float(np.mean(labels == NOISE)),
                wcsos=sums.within,
                bcsos=sums.between,
            ),
        )


def _points(words: "WordVectors") -> Matrix:
    return checked_matrix(words.matrix, "word vectors")


def _explained(axes: NDArray[np.float64], products: NDArray[np.float64], words: int) -> Floats:
    """Σ (u·w)² / n for each axis u, from the products WᵀW."""
    return tuple((np.einsum("ij,jk,ik->i", axes, products, axes, optimize=True) / words).tolist())
