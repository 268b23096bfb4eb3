"""What can be told while a model is trained."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """After ``step`` of ``steps``: the rank correlation with the teacher on held-out sentences.

    ``seed`` is None for what no run has: the start, and the mean of all runs.
    """

    seed: int | None
    step: int
    steps: int
    held_out: float


Watch = Callable[[Progress], None]
