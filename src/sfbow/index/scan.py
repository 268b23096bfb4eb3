"""Exact search: every query is compared with every row that could be a hit.

Scores come from whole numbers by operations that IEEE 754 fixes, in float64; they are ranked as
such, equal ones by the rows' numbers, and given as float32. So a search finds the same on every
machine, however the rows are divided into parts and however many threads there are. (float32 rows
are added up in an order that is the machine's own.) What shares nothing with a query has the score
0 and is no hit.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.index.blocks import Block, Compared, Passage, Scores, Scratch
from sfbow.index.comparison import kind_of
from sfbow.index.levels import Levels, Stored
from sfbow.index.part import Part
from sfbow.options import check_count, check_positive
from sfbow.parallel import map_ordered, thread_count

_QUERIES = 1024  # that pass over the rows together
_NOWHERE = np.iinfo(np.int64).max

Numbers = NDArray[np.int64]


class Nearest(NamedTuple):
    """The k best rows of each query, best first; where there are fewer, number -1 and score 0."""

    numbers: Numbers
    scores: NDArray[np.float32]


class Above(NamedTuple):
    """The rows of each query that reach a threshold, best first.

    Those of query q are ``numbers[bounds[q]:bounds[q + 1]]``.
    """

    bounds: Numbers
    numbers: Numbers
    scores: NDArray[np.float32]


def nearest(
    levels: Levels, parts: Sequence[Part], queries: Stored, k: int, *, threads: int | None = None
) -> Nearest:
    """Find the k most similar rows for each query: matrices of len(queries) × k."""
    check_count("k", k, least=1)
    shape = len(queries.rows), k
    found = Nearest(np.full(shape, -1, np.int64), np.zeros(shape, np.float32))
    held = min(k, sum(map(len, parts)))
    for rows in _batches(queries) if held else ():
        passage = Passage(levels, parts, Stored(queries.rows[rows], queries.masses[rows]))
        best = _best(passage, held, thread_count(threads))
        found.numbers[rows, :held], found.scores[rows, :held] = best
    return found


def above(
    levels: Levels,
    parts: Sequence[Part],
    queries: Stored,
    threshold: float,
    *,
    threads: int | None = None,
) -> Above:
    """Find all rows whose score is at least the threshold, which is above 0."""
    check_positive("threshold", threshold, most=1)
    found = [_Pairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    for rows in _batches(queries):
        passage = Passage(levels, parts, Stored(queries.rows[rows], queries.masses[rows]))
        reaching = _reaching(passage, float(threshold), thread_count(threads))
        found += [pairs._replace(queries=pairs.queries + rows.start) for pairs in reaching]
    pairs = _Pairs(*map(np.concatenate, zip(*found, strict=True)))
    order = np.lexsort((pairs.numbers, -pairs.scores, pairs.queries))
    bounds = np.searchsorted(pairs.queries[order], np.arange(len(queries.rows) + 1))
    return Above(bounds, pairs.numbers[order], pairs.scores[order].astype(np.float32))


def _batches(queries: Stored) -> Iterator[slice]:
    for start in range(0, len(queries.rows), _QUERIES):
        yield slice(start, min(start + _QUERIES, len(queries.rows)))


class _Heaps(Scratch):
    """The best rows that a thread has met, for each query; the worst of them stands in front."""

    def __init__(self, passage: Passage, k: int) -> None:
        super().__init__(passage.levels)
        self.scores = np.zeros((len(passage), k))
        self.numbers = np.full((len(passage), k), _NOWHERE)

    def enter(self, compared: Compared, kind: int) -> None:
        """Take what is better than the worst."""
        scores, numbers = self.scores[compared.queries], self.numbers[compared.queries]
        kernels.keep_best(
            compared.shared,
            compared.weights,
            compared.masses,
            compared.numbers,
            compared.query_masses,
            kind,
            scores,
            numbers,
        )
        self.scores[compared.queries], self.numbers[compared.queries] = scores, numbers


def _best(passage: Passage, k: int, threads: int) -> tuple[Numbers, Scores]:
    kind = kind_of(passage.levels.measure)
    blocks = passage.blocks()
    workers = min(threads, len(blocks))
    heaps = [_Heaps(passage, k) for _ in range(workers)]
    idle = list(heaps)

    def work(block: Block) -> None:
        own = idle.pop()
        compared = passage.compare(block, own.scores[:, 0], own)
        if compared is not None:
            own.enter(compared, kind)
        idle.append(own)

    for _ in map_ordered(work, blocks, workers):
        pass
    scores = np.concatenate([own.scores for own in heaps], axis=1)
    numbers = np.concatenate([own.numbers for own in heaps], axis=1)
    order = np.lexsort((numbers, -scores), axis=1)[:, :k]
    scores = np.take_along_axis(scores, order, 1)
    return np.where(scores > 0, np.take_along_axis(numbers, order, 1), -1), scores


class _Pairs(NamedTuple):
    """Queries, rows by their numbers, and scores."""

    queries: Numbers
    numbers: Numbers
    scores: Scores


def _reaching(passage: Passage, threshold: float, threads: int) -> Iterator[_Pairs]:
    kind = kind_of(passage.levels.measure)
    blocks = passage.blocks()
    workers = max(1, min(threads, len(blocks)))
    idle = [Scratch(passage.levels) for _ in range(workers)]
    floors = np.full(len(passage), threshold)

    def work(block: Block) -> _Pairs | None:
        scratch = idle.pop()
        compared = passage.compare(block, floors, scratch)
        pairs = None if compared is None else _pairs(compared, kind, threshold)
        idle.append(scratch)
        return pairs

    yield from filter(None, map_ordered(work, blocks, workers))


def _pairs(compared: Compared, kind: int, threshold: float) -> _Pairs:
    def fill(room: int) -> tuple[int, NDArray[np.int32], NDArray[np.int32], Scores]:
        queries, rows = np.empty((2, room), np.int32)
        scores = np.empty(room)
        count = kernels.keep_above(
            compared.shared,
            compared.weights,
            compared.masses,
            compared.query_masses,
            kind,
            threshold,
            queries,
            rows,
            scores,
        )
        return count, queries, rows, scores

    count, *_ = fill(0)
    _, queries, rows, scores = fill(count)
    return _Pairs(compared.queries[queries], compared.numbers[rows], scores)
