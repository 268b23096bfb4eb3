"""A join that is ready to run, and what is made of its pairs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.duplicates.distinct import Distinct, distinct
from sfbow.duplicates.minima import MinimumJoin
from sfbow.duplicates.pairs import Pairs
from sfbow.duplicates.results import DuplicatePair, Duplicates
from sfbow.duplicates.roots import RootJoin
from sfbow.duplicates.sources import stored_texts, stored_vectors
from sfbow.errors import OptionError
from sfbow.index.comparison import exact_scores
from sfbow.measures import Measure, check_measure
from sfbow.model import SFBoW
from sfbow.options import check_flag, check_positive
from sfbow.parallel import thread_count
from sfbow.progress import shown

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

_TOGETHER = 1 << 16  # pairs that are made into tuples together


class Search:
    """A join that is ready to run."""

    def __init__(
        self,
        texts: Any,  # noqa: ANN401
        model: SFBoW | None,
        threshold: float,
        measure: Measure,
        threads: int | None,
        show_progress_bar: bool,
    ) -> None:
        check_positive("threshold", threshold, most=1)
        check_measure(measure)
        check_flag("show_progress_bar", show_progress_bar)
        workers = thread_count(threads)
        self._measure, self._show = measure, show_progress_bar
        if isinstance(texts, np.ndarray) and texts.dtype.kind in "biufc":
            if model is not None:
                raise OptionError("model", expected="none for vectors", found=model)
            stored, alike = stored_vectors(texts, measure)
        else:
            stored, alike = stored_texts(texts, model, measure, workers, show_progress_bar)
        self.count = len(stored.rows)
        self.classes: Distinct = distinct(stored, alike)
        rows = self.classes.stored
        self._parents = np.arange(len(self.classes.sizes))
        self.join = (
            RootJoin(rows, float(threshold), workers)
            if measure == "hellinger"
            else MinimumJoin(rows, measure, float(threshold), workers, self._parents)
        )

    def duplicates(self) -> Duplicates:
        """Put texts that pairs connect into groups."""
        classes, parents = self.classes, self._parents
        for pairs in self._pairs_of_rows():
            # The join goes on meanwhile, and leaves out what is connected already.
            kernels.join_pairs(pairs.left, pairs.right, parents)
        kernels.flatten(parents)
        firsts = classes.firsts
        lowest = firsts.copy()
        np.minimum.at(lowest, parents, firsts)
        representatives = np.empty(self.count, np.int64)
        representatives[classes.members] = np.repeat(lowest[parents], classes.sizes)
        return Duplicates(representatives, self._similarities(representatives))

    def pairs(self) -> Iterator[DuplicatePair]:
        """Yield pairs of texts."""
        for a, b, scores in self._pairs_of_texts():
            first, second = np.minimum(a, b), np.maximum(a, b)
            yield from map(DuplicatePair, first.tolist(), second.tolist(), scores.tolist())

    def _similarities(self, representatives: Numbers) -> Scores:
        """Compare each text with its representative: 1 for itself, and for those that equal it."""
        classes = self.classes
        places = np.empty(self.count, np.int64)
        places[classes.members] = np.repeat(np.arange(len(classes.sizes)), classes.sizes)
        result = np.ones(self.count)
        others = np.flatnonzero(places != places[representatives])
        rows, masses = classes.stored
        left, right = places[others], places[representatives[others]]
        shared = np.empty(len(others), np.int32)
        if self._measure == "hellinger":
            kernels.products_of_pairs(rows, left, right, shared)
        else:
            kernels.distances_of_pairs(rows, left, right, shared)
            shared = (masses[left] + masses[right] - shared) // 2
        result[others] = exact_scores(self._measure, shared, masses[left], masses[right])
        return result

    def _pairs_of_rows(self) -> Iterator[Pairs]:
        return shown(
            self.join,
            lambda pairs: pairs.compared,
            total=self.join.total,
            unit=" pairs",
            show=self._show,
            scale=True,
        )

    def _pairs_of_texts(self) -> Iterator[tuple[Numbers, Numbers, Scores]]:
        members, bounds = self.classes.members, self.classes.bounds
        for start, stop in np.column_stack([bounds[:-1], bounds[1:]])[self.classes.sizes > 1]:
            for place in range(start, stop - 1):
                for part in range(place + 1, stop, _TOGETHER):
                    others = members[part : min(part + _TOGETHER, stop)]
                    yield np.full(len(others), members[place]), others, np.ones(len(others))
        for pairs in self._pairs_of_rows():
            yield from self._between(pairs)

    def _between(self, pairs: Pairs) -> Iterator[tuple[Numbers, Numbers, Scores]]:
        """Pair all texts of a row with all of another."""
        members, bounds, sizes = self.classes.members, self.classes.bounds, self.classes.sizes
        ends = np.cumsum(sizes[pairs.left] * sizes[pairs.right])
        for start in range(0, int(ends[-1]) if len(ends) else 0, _TOGETHER):
            number = np.arange(start, min(start + _TOGETHER, ends[-1]))
            pair = np.searchsorted(ends, number, side="right")
            number = ends[pair] - 1 - number
            left, right = pairs.left[pair], pairs.right[pair]
            a = members[bounds[left] + number // sizes[right]]
            b = members[bounds[right] + number % sizes[right]]
            yield a, b, pairs.scores[pair]
