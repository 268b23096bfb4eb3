"""What can be told while a model is trained."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """After ``step`` of ``steps``: the rank correlation with the teacher on held-out sentences."""

    step: int
    steps: int
    held_out: float


Watch = Callable[[Progress], None]
