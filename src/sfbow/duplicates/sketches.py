"""Sixteen bytes of each row that tell most pairs apart.

Axes are put into 16 groups, each axis with a sign; number g of a row's sketch is Σ ± levels over
group g. Whatever groups and signs, Σ|differences of these numbers| ≤ Σ|differences of levels|. The
bound is the better the more the axes of a group vary together: axis j belongs to that of the 16
main directions of the rows in which it has its largest part, with the sign that it has there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.parallel import map_ordered
from sfbow.slices import row_slices

Rows = NDArray[np.uint8]
Sample = NDArray[np.float32]
Budgets = NDArray[np.int64]

_NUMBERS, _ROWS = 16, 64  # of a sketch, and of a block, as the kernels have them
_SAMPLE = 2048  # rows that tell the directions
_ROUNDS = 6
_TYPICAL = 0.99  # the share of budgets for which one byte has to do
_SPREADS = 6  # standard deviations that a byte reaches over


class Sketches(NamedTuple):
    """Blocks of the sketches of 64 rows, and how far from each row's those of near rows can be."""

    blocks: NDArray[np.uint8]
    limits: NDArray[np.uint8]


def sketches(rows: Rows, budgets: Budgets, threads: int) -> Sketches:
    """Sketch rows of which pairs are wanted whose distance is within the budget of the first."""
    sample = rows[np.linspace(0, len(rows) - 1, min(len(rows), _SAMPLE)).astype(np.int64)]
    axes, signs = _groups(sample.astype(np.float32))
    numbers = np.zeros((len(sample), _NUMBERS))
    for group in range(_NUMBERS):
        numbers[:, group] = sample[:, axes == group] @ signs[axes == group].astype(np.float64)
    # Rounding adds less than 1 to the distance in each number: coarse steps cost pairs, but a
    # limit must fit into a byte, and numbers should.
    reach = np.quantile(budgets, _TYPICAL) / (255 - _NUMBERS)
    step = int(np.ceil(max(reach, _SPREADS * numbers.std(axis=0).max() / 255, 1)))
    origins = np.floor(np.median(numbers, axis=0)).astype(np.int32) - 128 * step
    limits = (budgets + _NUMBERS * (step - 1)) // step
    blocks = np.zeros((-(-len(rows) // _ROWS), _NUMBERS, _ROWS), np.uint8)

    def fill(part: slice) -> None:
        room = np.empty(_NUMBERS, np.int32)
        out = blocks[part.start // _ROWS :]
        kernels.sketch_rows(rows[part], axes, signs, origins, step, room, out)

    for _ in map_ordered(fill, row_slices(len(rows), 1, cells=_ROWS << 7), threads):
        pass
    return Sketches(blocks, np.minimum(limits, 255).astype(np.uint8))


def _groups(sample: Sample) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give the group and the sign of each axis."""
    directions = main_directions(sample - sample.mean(axis=0), _NUMBERS)
    axes = np.abs(directions).argmax(axis=1)
    signs = np.where(directions[np.arange(len(axes)), axes] < 0, -1, 1)
    return axes.astype(np.int32), signs.astype(np.int32)


def main_directions(sample: Sample, count: int) -> Sample:
    """Give about the directions, as columns, in which a sample reaches farthest from 0.

    They are at right angles, however near this comes to what it looks for.
    """
    width = sample.shape[1]
    if count >= width:
        return np.eye(width, dtype=np.float32)
    start = np.random.default_rng(0).standard_normal((width, count))
    basis = start.astype(np.float32)
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(sample.T @ (sample @ basis))[0]
    reduced = sample @ basis
    directions: Sample = basis @ np.linalg.eigh(reduced.T @ reduced)[1]
    return directions
