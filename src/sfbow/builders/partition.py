"""What is true of any partition of points into clusters, however it was found.

A partition is an array of labels, one a point: 0 .. clusters - 1, or `NOISE`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.clusters import add_to_clusters, scatter
from sfbow.matrices import Matrix

Sums = NDArray[np.float64]
Indices = NDArray[np.int64]

NOISE = -1


@dataclass(frozen=True)
class SumsOfSquares:
    """How tight the clusters are (`within`) and how far apart (`between`); together the total."""

    within: float
    between: float


def cluster_sums(points: Matrix, labels: Indices, members: Indices, clusters: int) -> Sums:
    """Add up the `members` (row numbers of `points`) of each cluster, in double precision."""
    sums = np.zeros((clusters, points.shape[1]))
    add_to_clusters(points, members, labels, sums)
    return sums


def cluster_means(points: Matrix, labels: Indices, clusters: int) -> Sums:
    """Return the mean of each cluster; noise belongs to none."""
    members = np.flatnonzero(labels != NOISE)
    counts = np.bincount(labels[members], minlength=clusters)
    return cluster_sums(points, labels, members, clusters) / counts[:, None]


def sums_of_squares(points: Matrix, labels: Indices, means: Sums) -> SumsOfSquares:
    """Measure a partition: WCSoS = Σ ‖x − mean of its cluster‖², BCSoS = Σ size · ‖mean − m‖².

    m is the mean of all points. Noise is left out of all three. `means` has to be that of
    `cluster_means`: the two sums then add up to the total, Σ ‖x − m‖².
    """
    members = np.flatnonzero(labels != NOISE)
    counts = np.bincount(labels[members], minlength=len(means))
    within = scatter(points, members, labels, means)
    centre = counts @ means / len(members)
    between = float(counts @ np.square(means - centre).sum(axis=1))
    return SumsOfSquares(within, between)
