"""What the paper prints, as data: its numbers ×100, transcribed once."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

Spread = tuple[float, float]
"""A mean and the deviation of a population."""


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper's tables: a score for each edition, and two averages over them."""

    scores: tuple[float, ...]
    average: Spread
    weighted: Spread


@dataclass(frozen=True)
class Paper:
    """The paper's tables.

    Attributes
    ----------
    editions, support
        Table 1: the editions, and the pairs that it gives each.
    comparison
        Table 2, by embedding and row.
    universes
        The complete tables of the appendix, by embedding and row.
    column_averages
        The last line of each complete table.
    by_embedding, by_universe
        The appendix's averages, one for each edition.
    """

    editions: tuple[str, ...]
    support: tuple[int, ...]
    support_total: int
    comparison: Mapping[tuple[str, str], PaperRow]
    universes: Mapping[tuple[str, str], PaperRow]
    column_averages: Mapping[str, tuple[Spread, ...]]
    by_embedding: Mapping[str, tuple[Spread, ...]]
    by_universe: Mapping[str, tuple[Spread, ...]]

    def row(self, embedding: str, row: str) -> PaperRow | None:
        """Look up a row of the complete tables or of the comparison."""
        key = embedding, row
        return self.universes.get(key) or self.comparison.get(key)

    def score(self, embedding: str, row: str, edition: str) -> float | None:
        """Look up one figure."""
        found = self.row(embedding, row)
        known = found is not None and edition in self.editions
        return found.scores[self.editions.index(edition)] if found and known else None


@cache
def load_paper() -> Paper:
    """Read the transcription that the package carries."""
    text = resources.files("sfbow").joinpath("data/paper.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return Paper(
        editions=tuple(data["editions"]),
        support=tuple(data["support"]),
        support_total=data["support_total"],
        comparison={(each["embedding"], each["row"]): _row(each) for each in data["comparison"]},
        universes={
            (embedding, row): _row(values)
            for embedding, table in data["tables"].items()
            for row, values in table["rows"].items()
        },
        column_averages={
            embedding: _spreads(table["average"]) for embedding, table in data["tables"].items()
        },
        by_embedding={name: _spreads(values) for name, values in data["by_embedding"].items()},
        by_universe={name: _spreads(values) for name, values in data["by_universe"].items()},
    )


def _row(values: Mapping[str, list[float]]) -> PaperRow:
    average, weighted = _spreads([values["average"], values["weighted"]])
    return PaperRow(tuple(values["scores"]), average, weighted)


def _spreads(pairs: list[list[float]]) -> tuple[Spread, ...]:
    return tuple((mean, deviation) for mean, deviation in pairs)
