"""Tables as text: aligned for a terminal, or Markdown."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TIMES_100 = "\u00d7100"
UNDEFINED = "\u2013"


@dataclass(frozen=True)
class Table:
    """A title, a header and rows; the first ``labels`` columns are words, the rest numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int


def as_text(table: Table) -> str:
    """Align the columns: words to the left, numbers to the right."""
    rows = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [table.title, "", *("  ".join(_aligned(table, row, widths)) for row in rows)]
    return "\n".join(line.rstrip() for line in lines)


def as_markdown(table: Table) -> str:
    """Write a table of GitHub's Markdown, its title above."""
    rule = ["---" if place < table.labels else "---:" for place in range(len(table.header))]
    rows = [table.header, rule, *([_escaped(cell) for cell in row] for row in table.rows)]
    return "\n".join([f"{table.title}:", "", *(f"| {' | '.join(row)} |" for row in rows)])


def _aligned(table: Table, row: Sequence[str], widths: Sequence[int]) -> list[str]:
    return [
        cell.ljust(width) if place < table.labels else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|")


def hundredfold(score: float) -> str:
    """Write a correlation ×100."""
    return UNDEFINED if math.isnan(score) else f"{100 * score:.2f}"


def interval_text(interval: tuple[float, float]) -> str:
    """Write an interval of correlations ×100."""
    low, high = interval
    return UNDEFINED if math.isnan(low) else f"{100 * low:.1f}…{100 * high:.1f}"


def share_text(part: int | None, whole: int | None) -> str:
    """Write a share in percent."""
    return UNDEFINED if part is None or not whole else f"{part / whole:.2%}"
