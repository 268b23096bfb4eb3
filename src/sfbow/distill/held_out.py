"""Sentences that are not learned from: how well a table follows the teacher on them."""

import numpy as np
from numpy.typing import NDArray

from sfbow.distill.bags import Bags
from sfbow.evaluation.correlation import average_ranks, pearson
from sfbow.measures import Measure, similarity

Table = NDArray[np.float32]


def split(count: int, held_out: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the places of sentences to learn from, and of those to measure on."""
    order = np.random.default_rng(0).permutation(count)
    measured = min(held_out, count // 10)
    return np.sort(order[measured:]), np.sort(order[:measured])


class HeldOut:
    """Spearman's correlation of all pairs' similarities with the teacher's cosines."""

    def __init__(self, bags: Bags, embeddings: Table, measure: Measure) -> None:
        known = np.flatnonzero(bags.lengths)
        self._rows = bags.rows
        self._starts = bags.bounds[known]
        self._pairs = np.triu_indices(len(known), 1)
        self._ranks = average_ranks((embeddings[known] @ embeddings[known].T)[self._pairs])
        self._measure = measure

    def correlation(self, table: Table) -> float:
        """Compare; NaN where there are too few sentences."""
        if len(self._starts) < 3:
            return float("nan")
        vectors = table[self._rows]
        highest = np.maximum.reduceat(vectors, self._starts)
        lowest = np.minimum.reduceat(vectors, self._starts)
        sets = np.concatenate([highest, -lowest], axis=1).clip(0)
        ours = similarity(sets, sets, measure=self._measure)[self._pairs]
        return pearson(average_ranks(ours), self._ranks)
