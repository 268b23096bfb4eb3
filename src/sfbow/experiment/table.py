"""A table of numbers, each beside what the paper prints in its place."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Style = Literal["score", "count", "share"]
Mark = Literal["", "best", "second"]
_DECIMALS: dict[Style, int] = {"score": 2, "count": 0, "share": 4}


@dataclass(frozen=True)
class Number:
    """What was found, NaN where nothing was, and what the paper prints."""

    value: float = math.nan
    deviation: float | None = None
    paper: float | None = None
    paper_deviation: float | None = None

    def rounded(self, style: Style) -> float:
        """Round what was found as it is shown."""
        return round(self.value, _DECIMALS[style])

    def difference(self, style: Style) -> float | None:
        """Give what was found, as it is shown, minus what the paper prints."""
        if self.paper is None or math.isnan(self.value):
            return None
        return self.rounded(style) - self.paper


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    In Markdown and LaTeX only ``compared`` columns have the paper's value beside them; CSV always.
    ``ranked`` columns have the best and the second marked.
    """

    name: str
    style: Style = "score"
    compared: bool = False
    ranked: bool = True


@dataclass(frozen=True)
class Row:
    """A line; summaries are not ranked."""

    labels: tuple[str, ...]
    numbers: tuple[Number, ...]
    ranked: bool = True


@dataclass(frozen=True)
class Table:
    """Blocks of rows, with a rule between them; ``name`` is that of its files."""

    name: str
    title: str
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    blocks: tuple[tuple[Row, ...], ...]

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [row for block in self.blocks for row in block]

    def marked(self) -> Iterator[list[tuple[Row, list[Mark]]]]:
        """Yield the blocks, each row with a mark for each number; equals share a mark."""
        leaders = [self._leaders(place) for place in range(len(self.columns))]
        for block in self.blocks:
            yield [(row, self._marks(row, leaders)) for row in block]

    def _leaders(self, place: int) -> list[float]:
        column = self.columns[place]
        found = {row.numbers[place].rounded(column.style) for row in self.rows if row.ranked}
        known = sorted((value for value in found if not math.isnan(value)), reverse=True)
        return known[:2] if column.ranked else []

    def _marks(self, row: Row, leaders: list[list[float]]) -> list[Mark]:
        marks: list[Mark] = []
        for column, number, leading in zip(self.columns, row.numbers, leaders, strict=True):
            value = number.rounded(column.style)
            if not row.ranked or value not in leading:
                marks.append("")
            else:
                marks.append("best" if value == leading[0] else "second")
        return marks
