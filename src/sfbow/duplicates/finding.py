"""Find near-duplicates: the pairs above a threshold, one by one, or the groups they connect."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.duplicates.distinct import Distinct, distinct
from sfbow.duplicates.minima import MinimumJoin
from sfbow.duplicates.pairs import Pairs
from sfbow.duplicates.progress import shown
from sfbow.duplicates.roots import RootJoin
from sfbow.duplicates.sources import stored_texts, stored_vectors
from sfbow.errors import OptionError
from sfbow.index.comparison import exact_scores
from sfbow.measures import Measure, check_measure
from sfbow.model import SFBoW
from sfbow.options import check_flag, check_positive
from sfbow.parallel import thread_count

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]

_TOGETHER = 1 << 16  # pairs that are made into tuples together


class DuplicatePair(NamedTuple):
    """Two texts by their numbers from 0, the earlier one first, and how similar they are."""

    first: int
    second: int
    similarity: float


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Which of n texts are near-duplicates: groups that pairs above the threshold connect.

    Parameters
    ----------
    representatives
        For each text the number of the first text of its group; its own if it has no duplicate.
    similarities
        How similar each text is to its representative. It may be below the threshold where other
        texts of the group lie between.
    """

    representatives: Numbers
    similarities: Scores

    def __len__(self) -> int:
        return len(self.representatives)

    def __repr__(self) -> str:
        kept, groups = len(self.kept), len(self.groups)
        return f"<Duplicates: {len(self):,} texts, {kept:,} kept, {groups:,} groups>"

    @property
    def kept(self) -> Numbers:
        """The numbers of the texts that stay: the first of each group, and those without any."""
        return np.flatnonzero(self._is_kept)

    @property
    def removed(self) -> Numbers:
        """The numbers of the other texts."""
        return np.flatnonzero(~self._is_kept)

    @property
    def groups(self) -> list[Numbers]:
        """The numbers of the texts of each group of two or more, in order."""
        order = np.argsort(self.representatives, kind="stable")
        starts = np.flatnonzero(np.diff(self.representatives[order])) + 1
        return [group for group in np.split(order, starts) if len(group) > 1]

    @property
    def _is_kept(self) -> NDArray[np.bool_]:
        is_kept: NDArray[np.bool_] = self.representatives == np.arange(len(self))
        return is_kept


def find_duplicates(
    texts: Any,  # noqa: ANN401 - whatever holds texts
    *,
    model: SFBoW | None = None,
    threshold: float = 0.9,
    measure: Measure = "jaccard",
    threads: int | None = None,
    show_progress_bar: bool = False,
) -> Duplicates:
    """Group texts that are nearly the same: any two with a similarity of the threshold or more.

    Every pair counts, none is missed. A group holds all texts that such pairs connect, directly or
    over others, and its first text represents it.

    Parameters
    ----------
    texts
        Whatever `SFBoW.encode` takes, or a matrix that it gave.
    model
        What encodes the texts: the model inside the package if not given.
    threshold
        The least similarity of two duplicates, above 0 and up to 1.
    measure
        "jaccard", "otsuka", "dice" or "hellinger". Jaccard is the strictest, and the fastest.
    threads
        How many threads to use: one for each core if not given.
    show_progress_bar
        Whether to show progress bars on standard error.

    Notes
    -----
    Similarities are those of memberships in 8 bits, which `Levels` tells the effect of. Texts that
    are the same are duplicates even without a known word; otherwise a text without one is none,
    and a row of zeros never is.
    """
    search = _Search(texts, model, threshold, measure, threads, show_progress_bar)
    firsts, representatives = search.classes.firsts, np.arange(search.count)
    copies = np.repeat(firsts, search.classes.sizes)
    kernels.join_pairs(copies, search.classes.members, representatives)
    for pairs in search.pairs():
        kernels.join_pairs(firsts[pairs.left], firsts[pairs.right], representatives)
    kernels.flatten(representatives)
    return Duplicates(representatives, search.similarities(representatives))


def duplicate_pairs(
    texts: Any,  # noqa: ANN401 - whatever holds texts
    *,
    model: SFBoW | None = None,
    threshold: float = 0.9,
    measure: Measure = "jaccard",
    threads: int | None = None,
    show_progress_bar: bool = False,
) -> Iterator[DuplicatePair]:
    """Yield every pair of texts with a similarity of at least the threshold, as it is found.

    The options are those of `find_duplicates`. The order is always the same, but not sorted.
    """
    search = _Search(texts, model, threshold, measure, threads, show_progress_bar)
    return search.single_pairs()


class _Search:
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
        self.join = (
            RootJoin(rows, float(threshold), workers)
            if measure == "hellinger"
            else MinimumJoin(rows, measure, float(threshold), workers)
        )

    def pairs(self) -> Iterator[Pairs]:
        """Yield pairs of distinct rows."""
        return shown(
            self.join,
            lambda pairs: pairs.compared,
            total=self.join.total,
            unit=" pairs",
            show=self._show,
        )

    def single_pairs(self) -> Iterator[DuplicatePair]:
        """Yield pairs of texts."""
        for a, b, scores in self._pairs_of_texts():
            first, second = np.minimum(a, b), np.maximum(a, b)
            yield from map(DuplicatePair, first.tolist(), second.tolist(), scores.tolist())

    def similarities(self, representatives: Numbers) -> Scores:
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

    def _pairs_of_texts(self) -> Iterator[tuple[Numbers, Numbers, Scores]]:
        members, bounds = self.classes.members, self.classes.bounds
        for start, stop in np.column_stack([bounds[:-1], bounds[1:]])[self.classes.sizes > 1]:
            for place in range(start, stop - 1):
                for part in range(place + 1, stop, _TOGETHER):
                    others = members[part : min(part + _TOGETHER, stop)]
                    yield np.full(len(others), members[place]), others, np.ones(len(others))
        for pairs in self.pairs():
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
