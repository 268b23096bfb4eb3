"""k-means and spherical k-means: Lloyd's algorithm with centroid activity detection.

Lloyd compares every point with every centroid in each round. Most of that is known beforehand:
a centroid whose cluster did not change has not moved, and a point that did not beat before
cannot beat now, unless the point's own centroid went away from it. So a round compares

- points that their own centroid went away from, with all centroids;
- all other points, with the centroids that moved.

The result is Lloyd's (Kaukoranta, Fränti and Nevalainen 2000, "A fast exact GLA based on code
vector activity detection"), and rounds get cheaper as clusters settle. docs/universes.md has the
measurements against FAISS and scikit-learn.
"""

from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from sfbow.builders.partition import Indices, cluster_sums
from sfbow.errors import OptionError
from sfbow.kernels.clusters import squared_distances
from sfbow.matrices import Matrix
from sfbow.slices import row_slices

SCORE_CELLS = 2**24
"""The most scores in a block: 64 MiB."""
LEAST_WIDTH = 2**11
"""With fewer centroids a block grows no taller, as it is copied together from the points."""


@dataclass(frozen=True)
class KMeans:
    """The outcome: centroids (k x d), the cluster of each point, and how it ended."""

    centroids: Matrix
    labels: Indices
    iterations: int
    converged: bool


def kmeans(
    points: Matrix,
    k: int,
    *,
    spherical: bool,
    iterations: int,
    seed: int,
    show_progress_bar: bool,
) -> KMeans:
    """Cluster `points` around `k` centroids, starting from k of the points drawn at random.

    Stops when no point changes its cluster, or after `iterations` rounds. `spherical` expects
    points of length 1 and keeps the centroids at length 1.
    """
    state = _Lloyd(points, k, spherical=spherical, seed=seed)
    converged = False
    with tqdm(total=iterations, unit="round", disable=not show_progress_bar) as bar:
        while state.rounds < iterations and not converged:
            converged = not state.advance()
            bar.update()
    return KMeans(state.centroids, state.labels, state.rounds, converged)


class _Lloyd:
    """The running state: centroids, and for each point its cluster and squared distance to it."""

    def __init__(self, points: Matrix, k: int, *, spherical: bool, seed: int) -> None:
        drawn = np.random.default_rng(seed).choice(len(points), k, replace=False)
        self.rounds = 0
        self.points = points
        self.spherical = spherical
        self.centroids = np.ascontiguousarray(points[np.sort(drawn)], dtype=np.float32)
        self.labels = np.zeros(len(points), dtype=np.int64)
        self.distances = np.full(len(points), np.inf, dtype=np.float32)
        self.moved = np.arange(k)
        self.left_behind = np.ones(len(points), dtype=bool)

    def advance(self) -> bool:
        """Do one round; return whether any point changed its cluster."""
        self.rounds += 1
        before = self.labels.copy()
        self._move_to_nearest(np.flatnonzero(self.left_behind), np.arange(len(self.centroids)))
        self._move_to_nearest(np.flatnonzero(~self.left_behind), self.moved)
        self._fill_empty_clusters()
        changed = np.flatnonzero(self.labels != before)
        if self.rounds == 1:
            self._update(np.arange(len(self.centroids)))
        elif len(changed):
            self._update(np.union1d(before[changed], self.labels[changed]))
        return self.rounds == 1 or len(changed) > 0

    def _move_to_nearest(self, rows: Indices, clusters: Indices) -> None:
        """Move each of `rows` to the nearest of `clusters` if that is nearer than its own.

        ‖x − c‖² is least where x·c − ‖c‖²/2 is greatest: one matrix product a block. It only
        nominates; the move is decided on the distance itself, so rounding cannot make a point
        go to and fro.
        """
        if not len(rows) or not len(clusters):
            return
        candidates = self.centroids[clusters]
        halves = np.square(candidates).sum(axis=1) / 2
        width = max(len(clusters), LEAST_WIDTH)
        for block in row_slices(len(rows), width, cells=SCORE_CELLS):
            block_rows = rows[block]
            scores = self.points[block_rows] @ candidates.T
            scores -= halves
            self._move_if_nearer(block_rows, clusters[scores.argmax(axis=1)])

    def _move_if_nearer(self, rows: Indices, clusters: Indices) -> None:
        distances = self._distances(rows, clusters)
        nearer = distances < self.distances[rows]
        self.labels[rows[nearer]] = clusters[nearer]
        self.distances[rows[nearer]] = distances[nearer]

    def _distances(self, rows: Indices, clusters: Indices) -> Matrix:
        """Squared distance of each row to the centroid beside it."""
        distances = np.empty(len(rows), dtype=np.float32)
        squared_distances(self.points, rows, self.centroids, clusters, distances)
        return distances

    def _fill_empty_clusters(self) -> None:
        """Give each empty cluster the point farthest from its centroid that is not alone there."""
        sizes = np.bincount(self.labels, minlength=len(self.centroids))
        empty = np.flatnonzero(sizes == 0).tolist()
        if not empty:
            return
        for row in np.argsort(-self.distances, kind="stable").tolist():
            if not empty or self.distances[row] == 0:
                break
            if sizes[self.labels[row]] > 1:
                sizes[self.labels[row]] -= 1
                self.labels[row] = empty.pop()
                self.distances[row] = 0
        if empty:
            distinct = len(self.centroids) - len(empty)
            raise OptionError(
                "k",
                expected=f"at most the number of different word vectors, {distinct}",
                found=len(self.centroids),
            )

    def _update(self, clusters: Indices) -> None:
        """Put the centroids of `clusters` in the middle, and see from which points they went."""
        is_due = np.zeros(len(self.centroids), dtype=bool)
        is_due[clusters] = True
        members = np.flatnonzero(is_due[self.labels])
        sums = cluster_sums(self.points, self.labels, members, len(self.centroids))[clusters]
        self.centroids[clusters] = self._middles(sums, clusters)
        distances = self._distances(members, self.labels[members])
        self.left_behind[:] = False
        self.left_behind[members] = distances > self.distances[members]
        self.distances[members] = distances
        self.moved = clusters

    def _middles(self, sums: np.ndarray, clusters: Indices) -> np.ndarray:
        if not self.spherical:
            return sums / np.bincount(self.labels, minlength=len(self.centroids))[clusters, None]
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        # Points that cancel out have no common direction: any is as good as the present one.
        return np.where(lengths > 0, sums / np.maximum(lengths, 1e-300), self.centroids[clusters])
