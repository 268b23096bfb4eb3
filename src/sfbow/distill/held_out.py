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
        known = np.flatnonzero(bags.has_words)
        tokens = bags.matrix(known)
        self._tokens = tokens
        self._pairs = np.triu_indices(len(known), 1)
        self._ranks = average_ranks((embeddings[known] @ embeddings[known].T)[self._pairs])
        self._measure = measure

    def correlation(self, table: Table) -> float:
        """Compare; NaN where there are too few sentences."""
        if len(self._tokens) < 3:
            return float("nan")
        vectors = [(table[row].max(0), -table[row].min(0)) for row in self._tokens]
        sets = np.maximum(np.array(vectors).reshape(len(vectors), -1), 0)
        ours = similarity(sets, sets, measure=self._measure)[self._pairs]
        return pearson(average_ranks(ours), self._ranks)
