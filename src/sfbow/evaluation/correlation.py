"""Correlations, and the three schools of making one number of many pair sets.

A correlation is undefined, NaN, where there is nothing to order: for fewer than two pairs, and
where all predictions, or all scores, are the same. What is computed from a NaN is NaN as well: a
sub-dataset on which a model says nothing is neither left out of a mean nor counted as 0.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.evaluation.pairs import Numbers

School = Literal["mean", "weighted", "all"]
Correlation = Literal["spearman", "pearson"]
SCHOOLS: tuple[School, ...] = get_args(School)
CORRELATIONS: tuple[Correlation, ...] = get_args(Correlation)


def average_ranks(values: NDArray[Any]) -> Numbers:
    """Rank from 1; equal values share the mean of their ranks."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Numbers = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks


def pearson(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Give Pearson's correlation; NaN where a side is constant."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise InputError(
            f"correlation: expected two rows of one length, found {a.shape}, {b.shape}; "
            "give two numbers for each pair"
        )
    if len(a) < 2 or a.min() == a.max() or b.min() == b.max():
        return math.nan
    # Scaled first, so that squares neither vanish nor overflow.
    a, b = (side / np.abs(side).max() for side in (a - a.mean(), b - b.mean()))
    return float(np.clip(a @ b / math.sqrt((a @ a) * (b @ b)), -1, 1))


def spearman(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Give Spearman's correlation; NaN where a side is constant."""
    return pearson(average_ranks(np.asarray(a)), average_ranks(np.asarray(b)))


_FUNCTIONS = {"spearman": spearman, "pearson": pearson}


def correlate(a: NDArray[Any], b: NDArray[Any], correlation: Correlation) -> float:
    """Give the correlation of that name."""
    return _FUNCTIONS[correlation](a, b)


def by_school(
    predicted: Sequence[NDArray[Any]],
    gold: Sequence[NDArray[Any]],
    school: School,
    correlation: Correlation = "spearman",
) -> float:
    """Score an edition of several pair sets.

    ``mean`` is the mean over the sets, ``weighted`` the same weighted by their pairs, and ``all``
    a single correlation over all pairs of the edition.
    """
    if school == "all":
        return correlate(np.concatenate(predicted), np.concatenate(gold), correlation)
    found = [correlate(*sides, correlation) for sides in zip(predicted, gold, strict=True)]
    weights = [len(side) for side in gold] if school == "weighted" else None
    return float(np.average(found, weights=weights))
