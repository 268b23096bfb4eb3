"""DBSCAN in bounded memory.

The textbook algorithm keeps the neighbours of every point, n² numbers when the radius is wide.
Here distances are computed block by block and forgotten, at most three times each:

1. count the neighbours of each point: those with `min_samples` or more, itself included, are core;
2. join core points that are neighbours: the connected components are the clusters;
3. let every other point join the first cluster that has a core point near it; the rest is noise.

Clusters are numbered by their first core point, so the labels are those of scikit-learn, number
by number.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from sfbow.builders.partition import NOISE, Indices
from sfbow.kernels.neighbours import (
    flatten,
    join_neighbours,
    lower_to_neighbours,
    mark_neighbours,
)
from sfbow.matrices import Matrix

BLOCK = 2048


@dataclass(frozen=True)
class _Space:
    """Points, their squared lengths, and the squared radius that makes two of them neighbours."""

    points: Matrix
    squares: Matrix
    limit: float

    def subset(self, rows: Indices) -> "_Space":
        return _Space(self.points[rows], self.squares[rows], self.limit)

    def neighbours(self, rows: slice, other: "_Space", columns: slice) -> np.ndarray:
        a = np.ascontiguousarray(self.points[rows])
        b = np.ascontiguousarray(other.points[columns])
        dots = a @ b.T
        mask = np.empty(dots.shape, dtype=np.bool_)
        mark_neighbours(dots, a, b, self.squares[rows], other.squares[columns], self.limit, mask)
        return mask


def dbscan(
    points: Matrix, squared_radius: float, min_samples: int, *, show_progress_bar: bool
) -> Indices:
    """Return the cluster of each point, `NOISE` for none."""
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", points, points, dtype=np.float64).astype(np.float32)
    space = _Space(points, squares, squared_radius)
    blocks = -(-len(points) // BLOCK)
    with tqdm(total=blocks * (blocks + 1), unit="block", disable=not show_progress_bar) as bar:
        core = np.flatnonzero(_count_neighbours(space, bar) >= min_samples)
        labels = np.full(len(points), NOISE, dtype=np.int64)
        labels[core] = _number_components(space.subset(core), bar)
        others = np.flatnonzero(labels == NOISE)
        labels[others] = _lowest_core_label(space, others, core, labels)
        bar.update(bar.total - bar.n)
    return labels


def _starts(count: int) -> list[slice]:
    return [slice(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK)]


def _upper_triangle(count: int) -> Iterator[tuple[slice, slice]]:
    blocks = _starts(count)
    for position, rows in enumerate(blocks):
        for columns in blocks[position:]:
            yield rows, columns


def _count_neighbours(space: _Space, bar: "tqdm[None]") -> Indices:
    counts = np.zeros(len(space.points), dtype=np.int64)
    for rows, columns in _upper_triangle(len(space.points)):
        mask = space.neighbours(rows, space, columns)
        counts[rows] += np.count_nonzero(mask, axis=1)
        if rows != columns:
            counts[columns] += np.count_nonzero(mask, axis=0)
        bar.update()
    return counts


def _number_components(core: _Space, bar: "tqdm[None]") -> Indices:
    parents = np.arange(len(core.points))
    for rows, columns in _upper_triangle(len(core.points)):
        flatten(parents)
        is_one_component = (
            np.ptp(parents[rows]) == 0
            and np.ptp(parents[columns]) == 0
            and parents[rows.start] == parents[columns.start]
        )
        if not is_one_component:
            mask = core.neighbours(rows, core, columns)
            join_neighbours(mask, rows.start, columns.start, parents)
        bar.update()
    flatten(parents)
    return np.unique(parents, return_inverse=True)[1].astype(np.int64)


def _lowest_core_label(space: _Space, others: Indices, core: Indices, labels: Indices) -> Indices:
    beyond = len(core)
    lowest = np.full(len(others), beyond, dtype=np.int64)
    rest, centre, centre_labels = space.subset(others), space.subset(core), labels[core]
    for rows in _starts(len(others)):
        for columns in _starts(len(core)):
            mask = rest.neighbours(rows, centre, columns)
            lower_to_neighbours(mask, centre_labels[columns], lowest[rows])
    return np.where(lowest == beyond, NOISE, lowest)
