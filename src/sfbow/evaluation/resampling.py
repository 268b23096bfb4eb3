"""How sure a score is, and a difference of two: the bootstrap over pairs.

Each resample draws, with replacement, as many pairs of each pair set as it has: the sets are given,
their pairs are the sample. All models and all three schools are scored on the same resamples, so
that differences are those of a paired test. An interval goes from percentile to percentile of the
resamples in which the score is defined (a tiny set may be drawn constant).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.evaluation.correlation import CORRELATIONS, SCHOOLS, Correlation, School
from sfbow.evaluation.pairs import Numbers
from sfbow.evaluation.results import EditionResult, Evaluation, supports
from sfbow.options import check_count, check_positive

_BLOCK = 1 << 19  # numbers in an array at a time: what the caches hold
_NOTHING = 1e-12  # a variance, of numbers scaled to 1, that is none


@dataclass(frozen=True)
class Comparison:
    """The difference of two models: b minus a, and how likely chance gives such a one."""

    a: str
    b: str
    difference: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Bootstrap:
    """The scores of models on resamples.

    ``draws[edition]`` has, for each model, correlation and school, a score for each resample, in
    the order of `CORRELATIONS` and `SCHOOLS`; "average" and "paper_average" stand beside them.
    """

    evaluations: tuple[Evaluation, ...]
    draws: dict[str, Numbers]
    level: float
    resamples: int
    seed: int

    def interval(
        self,
        model: int,
        edition: str = "average",
        school: School = "mean",
        correlation: Correlation = "spearman",
    ) -> tuple[float, float]:
        """Give the percentile interval of a model's score."""
        return _percentiles(self._draws(model, edition, school, correlation), self.level)

    def compare(
        self,
        a: int,
        b: int,
        edition: str = "average",
        school: School = "mean",
        correlation: Correlation = "spearman",
    ) -> Comparison:
        """Test whether model b is another than model a, two-sided.

        p is twice the share of resamples in which the difference has the rarer sign, where none
        counts for both signs, with one resample added, as p is never 0.
        """
        found = [_score(self.evaluations[each], edition, school, correlation) for each in (a, b)]
        draws = [self._draws(each, edition, school, correlation) for each in (a, b)]
        difference = draws[1] - draws[0]
        low, high = _percentiles(difference, self.level)
        sure = difference[~np.isnan(difference)]
        rarer = min((sure <= 0).sum(), (sure >= 0).sum())
        p_value = min(1.0, 2 * (rarer + 1) / (len(sure) + 1)) if len(sure) else float("nan")
        names = (self.evaluations[a].model, self.evaluations[b].model)
        return Comparison(*names, found[1] - found[0], low, high, float(p_value))

    def _draws(self, model: int, edition: str, school: School, correlation: Correlation) -> Numbers:
        place = model, CORRELATIONS.index(correlation), SCHOOLS.index(school)
        draws: Numbers = self.draws[edition][place]
        return draws


def bootstrap(
    evaluations: Sequence[Evaluation],
    *,
    resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Bootstrap:
    """Score models that were evaluated on the same benchmark on resamples of its pairs."""
    check_count("resamples", resamples, least=1)
    check_count("seed", seed, least=0)
    check_positive("level", level, most=1)
    _check_same(evaluations)
    draws = {}
    for place, edition in enumerate(evaluations[0].editions):
        results = [each.editions[place] for each in evaluations]
        rng = np.random.default_rng([seed, place])
        draws[edition.name] = np.concatenate(list(_edition(results, resamples, rng)), axis=-1)
    stacked = np.stack(list(draws.values()))
    draws["average"] = stacked.mean(axis=0)
    weights = supports(evaluations[0])
    if weights is not None:
        draws["paper_average"] = np.average(stacked, axis=0, weights=weights)
    return Bootstrap(tuple(evaluations), draws, level, resamples, seed)


def _check_same(evaluations: Sequence[Evaluation]) -> None:
    if not evaluations:
        raise InputError("bootstrap: expected evaluations, found none; give what evaluate returns")
    first = evaluations[0]
    for other in evaluations[1:]:
        same = len(first.editions) == len(other.editions) and all(
            len(a.sets) == len(b.sets) and all(map(np.array_equal, a.gold, b.gold))
            for a, b in zip(first.editions, other.editions, strict=True)
        )
        if not same:
            raise InputError(
                f"bootstrap: expected evaluations on the same pairs, "
                f"found others for {first.model} and {other.model}; evaluate both on one benchmark"
            )


def _score(evaluation: Evaluation, edition: str, school: School, correlation: Correlation) -> float:
    summary = evaluation.summary(school, correlation)
    if edition in summary:
        return summary[edition]
    names = [each.name for each in evaluation.editions]
    return float(evaluation.scores(school, correlation)[names.index(edition)])


def _percentiles(draws: Numbers, level: float) -> tuple[float, float]:
    defined = draws[~np.isnan(draws)]
    if not len(defined):
        return float("nan"), float("nan")
    low, high = np.percentile(defined, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def _edition(
    results: Sequence[EditionResult], resamples: int, rng: np.random.Generator
) -> Iterator[Numbers]:
    """Yield scores for some resamples at a time: models × correlations × schools × resamples."""
    gold = results[0].gold
    sizes = np.array([len(each) for each in gold])
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    parts = [slice(*pair) for pair in pairwise(bounds)]
    columns = [gold, *(each.predicted for each in results)]
    by_set = [[_Column(column[part]) for column in columns] for part in range(len(sizes))]
    pooled = [_Column(np.concatenate(column)) for column in columns]
    size = max(1, _BLOCK // int(bounds[-1]))
    for start in range(0, resamples, size):
        count = min(size, resamples - start)
        counts = np.concatenate([_counts(rng, count, int(n)) for n in sizes], axis=1)
        sets = np.stack(
            [_correlations(each, counts[:, part]) for each, part in zip(by_set, parts, strict=True)]
        )
        schools = (
            sets.mean(axis=0),
            np.average(sets, axis=0, weights=sizes),
            _correlations(pooled, counts),
        )
        yield np.stack(schools, axis=2)


def _counts(rng: np.random.Generator, resamples: int, size: int) -> Numbers:
    """Draw how often each pair is in each resample."""
    drawn = rng.integers(size, size=(resamples, size)) + size * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * size)
    return counts.reshape(resamples, size).astype(np.float64)


class _Column:
    """Values that are sorted once, so that resamples of them can be ranked without sorting."""

    def __init__(self, values: NDArray[Any]) -> None:
        distinct, self._places = np.unique(values, return_inverse=True)
        self._order = np.argsort(self._places, kind="stable")
        self._starts = np.searchsorted(self._places[self._order], np.arange(len(distinct)))
        centred = np.asarray(values, np.float64) - np.mean(values, dtype=np.float64)
        self.values: Numbers = centred / (np.abs(centred).max() or 1.0)

    def ranks(self, counts: Numbers) -> Numbers:
        """Rank each resample, about 0 and within 1; equal values share the mean of their ranks."""
        size = counts.shape[1]
        groups = np.add.reduceat(counts[:, self._order], self._starts, axis=1)
        ranks = np.cumsum(groups, axis=1) - (groups - 1) / 2
        result: Numbers = ((ranks - (size + 1) / 2) / size)[:, self._places]
        return result


def _correlations(columns: Sequence[_Column], counts: Numbers) -> Numbers:
    """Correlate the first column with each other one: models × correlations × resamples."""
    ranks = [column.ranks(counts) for column in columns]
    return np.stack(
        [
            np.stack([_of_ranks(ranks[0], other, counts) for other in ranks[1:]]),
            np.stack([_of_values(columns[0], other, counts) for other in columns[1:]]),
        ],
        axis=1,
    )


def _of_ranks(a: Numbers, b: Numbers, counts: Numbers) -> Numbers:
    weighted = a * counts
    shared = np.einsum("ij,ij->i", weighted, b)
    of_b = np.einsum("ij,ij,ij->i", counts, b, b)
    return _ratio(shared, np.einsum("ij,ij->i", weighted, a), of_b, counts.shape[1])


def _of_values(a: _Column, b: _Column, counts: Numbers) -> Numbers:
    x, y = a.values, b.values
    size = counts.shape[1]
    sums = counts @ np.stack([x, y, x * y, x * x, y * y], axis=1)
    of_x, of_y, shared, xx, yy = sums.T
    return _ratio(
        shared - of_x * of_y / size, xx - of_x * of_x / size, yy - of_y * of_y / size, size
    )


def _ratio(shared: Numbers, of_a: Numbers, of_b: Numbers, size: int) -> Numbers:
    defined = (of_a > _NOTHING * size) & (of_b > _NOTHING * size)
    norm = np.sqrt(np.where(defined, of_a * of_b, 1.0))
    return np.where(defined, np.clip(shared / norm, -1, 1), np.nan)
