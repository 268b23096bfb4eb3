"""The sentences that a teacher finds most similar to each: exact, in blocks of all pairs."""

from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Indices = NDArray[np.int32]

_TILE = {"cpu": (256, 1 << 14), "cuda": (1024, 1 << 17)}  # sentences, by those they may be near


class NeighbourSearch:
    """The nearest by dot product among the rows of a matrix, which lies on the device whole."""

    def __init__(self, rows: NDArray[np.float16], count: int, device: torch.device) -> None:
        self._given = rows
        self._device = device
        self._count = min(count, len(rows) - 1)
        self.block, self._others = _TILE[device.type]

    @cached_property
    def _rows(self) -> Tensor:
        """Go to the device when the first neighbours are asked for: they may all be known."""
        precision = torch.float32 if self._device.type == "cpu" else torch.float16
        return torch.from_numpy(self._given).to(self._device, precision)

    @property
    def count(self) -> int:
        """The neighbours of each row."""
        return self._count

    def nearest(self, rows: slice) -> Indices:
        """Give the neighbours of some rows, the nearest first; no row is its own neighbour."""
        best = None
        for first in range(0, len(self._rows), self._others):
            found = self._nearest_among(rows, first)
            best = found if best is None else _merged(best, found, self._count)
        assert best is not None  # noqa: S101 - for the type checker: there are rows
        places: Indices = best[1].to(torch.int32).cpu().numpy()
        return places

    def _nearest_among(self, rows: slice, first: int) -> tuple[Tensor, Tensor]:
        others = self._rows[first : first + self._others]
        scores = self._rows[rows] @ others.T
        own = torch.arange(rows.start, rows.stop, device=scores.device) - first
        inside = (own >= 0) & (own < len(others))
        scores[inside.nonzero().squeeze(1), own[inside]] = -torch.inf
        values, places = scores.topk(min(self._count, len(others)), dim=1)
        return values, places + first


def _merged(
    a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor], count: int
) -> tuple[Tensor, Tensor]:
    values, places = (torch.cat(pair, 1) for pair in zip(a, b, strict=True))
    values, order = values.topk(min(count, values.shape[1]), dim=1)
    return values, places.gather(1, order)
