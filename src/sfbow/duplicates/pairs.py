"""What a join yields."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]


class Pairs(NamedTuple):
    """Places of rows, ``left`` before ``right``, and the score of each pair.

    ``compared`` counts the pairs that were looked at since the last of these.
    """

    left: Places
    right: Places
    scores: NDArray[np.float64]
    compared: int


@dataclass
class Pruned:
    """How many pairs of distinct rows each step of a join left over; the last ones are found."""

    by_mass: int = 0
    by_sketch: int = 0
    by_distance: int = 0
    by_score: int = 0
