"""What a model predicted for a benchmark, and the scores that follow from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.evaluation.correlation import Correlation, School, by_school, correlate
from sfbow.evaluation.pairs import Numbers


@dataclass(frozen=True)
class Coverage:
    """What a model knows of texts, each counted once for each pair set that it is in.

    ``zero_vectors`` is None if the model gives no vectors, ``words`` and ``unknown_words`` if it
    does not show its vocabulary.
    """

    texts: int
    zero_vectors: int | None
    words: int | None
    unknown_words: int | None

    @classmethod
    def sum(cls, parts: "Sequence[Coverage]") -> "Coverage":
        """Add up; what is not known of each is not known of all."""
        return cls(
            sum(part.texts for part in parts),
            _sum([part.zero_vectors for part in parts]),
            _sum([part.words for part in parts]),
            _sum([part.unknown_words for part in parts]),
        )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


@dataclass(frozen=True)
class SetResult:
    """What a model predicts for a pair set."""

    name: str
    gold: Numbers
    predicted: NDArray[Any]
    coverage: Coverage

    def score(self, correlation: Correlation = "spearman") -> float:
        """Correlate predictions and gold."""
        return correlate(self.predicted, self.gold, correlation)


@dataclass(frozen=True)
class EditionResult:
    """What a model predicts for an edition."""

    name: str
    sets: tuple[SetResult, ...]
    support: int | None

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(len(each.gold) for each in self.sets)

    @property
    def gold(self) -> list[Numbers]:
        """The scores that people gave, by pair set."""
        return [each.gold for each in self.sets]

    @property
    def predicted(self) -> list[NDArray[Any]]:
        """The predictions, by pair set."""
        return [each.predicted for each in self.sets]

    def score(self, school: School = "mean", correlation: Correlation = "spearman") -> float:
        """Score the edition after one of the schools."""
        return by_school(self.predicted, self.gold, school, correlation)


@dataclass(frozen=True)
class Evaluation:
    """What a model predicts for a benchmark; correlations are from -1 to 1."""

    model: str
    benchmark: str
    editions: tuple[EditionResult, ...]
    seconds: float

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return sum(edition.pairs for edition in self.editions)

    @property
    def coverage(self) -> Coverage:
        """What the model knows of the texts."""
        return Coverage.sum([each.coverage for edition in self.editions for each in edition.sets])

    def scores(self, school: School = "mean", correlation: Correlation = "spearman") -> Numbers:
        """Give the score of each edition."""
        return np.array([edition.score(school, correlation) for edition in self.editions])

    def summary(
        self, school: School = "mean", correlation: Correlation = "spearman"
    ) -> dict[str, float]:
        """Give the average over the editions, its deviation, and the paper's weighted average.

        The deviation is that of a population. The paper weights each edition with the pairs that
        its Table 1 gives it, among them those that nobody can score.
        """
        scores = self.scores(school, correlation)
        result = {"average": float(scores.mean()), "deviation": float(scores.std())}
        weights = supports(self)
        if weights is not None:
            result["paper_average"] = float(np.average(scores, weights=weights))
        return result


def supports(evaluation: Evaluation) -> list[int] | None:
    """Give the editions' weights in the paper, if it has all of them."""
    found = [edition.support for edition in evaluation.editions if edition.support is not None]
    return found if len(found) == len(evaluation.editions) else None
