"""What a search finds: ids and scores at once, texts and payloads when they are asked for."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfbow.index.ids import Id

if TYPE_CHECKING:
    from sfbow.index.snapshot import Snapshot


class Hit(NamedTuple):
    """A row that was found; the text is None where a vector was given."""

    id: Id
    score: float
    text: str | None
    payload: dict[str, Any] | None


class Hits:
    """The hits of each query, best first, equal ones in the order of insertion.

    Its length is the number of queries, whatever they were; ``hits[i]`` is the list of those of
    query i, and iterating gives one list after the other.
    """

    def __init__(
        self,
        snapshot: "Snapshot",
        bounds: NDArray[np.int64],
        numbers: NDArray[np.int64],
        scores: NDArray[np.float32],
        width: int | None = None,
    ) -> None:
        self._snapshot = snapshot
        self._bounds = bounds
        self._numbers = numbers
        self._scores = scores
        self._width = int(np.diff(bounds).max(initial=0)) if width is None else width

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __getitem__(self, query: int) -> list[Hit]:
        query = range(len(self))[query]
        found = slice(self._bounds[query], self._bounds[query + 1])
        pairs = zip(self._numbers[found].tolist(), self._scores[found].tolist(), strict=True)
        return [self._hit(number, score) for number, score in pairs]

    def __iter__(self) -> Iterator[list[Hit]]:
        return (self[query] for query in range(len(self)))

    def __repr__(self) -> str:
        return f"<Hits: {len(self._numbers):,} for {len(self):,} queries>"

    def _hit(self, number: int, score: float) -> Hit:
        segment, row = self._snapshot.place(number)
        return Hit(segment.id(row), score, segment.text(row), segment.payload_of(row))

    @cached_property
    def ids(self) -> NDArray[np.object_]:
        """The ids, queries × k, or × the most that any query has; None where there are fewer."""
        places = map(self._snapshot.place, self._numbers.tolist())
        table = np.full((len(self), self._width), None, object)
        table[self._filled] = [segment.id(row) for segment, row in places]
        return table

    @cached_property
    def scores(self) -> NDArray[np.float32]:
        """The scores as float32, in the places of the ids; 0 where there are fewer."""
        table = np.zeros((len(self), self._width), np.float32)
        table[self._filled] = self._scores
        return table

    @property
    def _filled(self) -> NDArray[np.bool_]:
        return np.arange(self._width) < np.diff(self._bounds)[:, None]
