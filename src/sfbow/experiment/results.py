"""What a run has left in its folder: finished cells, each of one embedding and one row."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sfbow.errors import InputError
from sfbow.evaluation.correlation import Correlation, School
from sfbow.experiment.paper import Spread, load_paper
from sfbow.universe_report import UniverseReport

Scores = Mapping[str, Mapping[str, Mapping[str, float | None]]]
RUN = "run.json"
NONE = "none"
"""The embedding of rows that need no word vectors."""
_UNDEFINED = (math.nan, math.nan)


@dataclass(frozen=True)
class Cell:
    """What came of a row with an embedding; ``scores`` are by edition, school and correlation."""

    embedding: str
    row: str
    seconds: Mapping[str, float]
    size: int | None
    sentences_per_second: float | None
    report: UniverseReport | None
    scores: Scores
    failed: str | None

    def score(
        self, edition: str, school: School = "mean", correlation: Correlation = "spearman"
    ) -> float:
        """Give a correlation ×100; NaN where there is none."""
        found = self.scores.get(edition, {}).get(school, {}).get(correlation)
        return math.nan if found is None else 100 * found

    def vector(
        self, school: School = "mean", correlation: Correlation = "spearman"
    ) -> tuple[float, ...]:
        """Give the scores on the editions of the paper."""
        return tuple(self.score(name, school, correlation) for name in load_paper().editions)

    def average(self, school: School = "mean", correlation: Correlation = "spearman") -> float:
        """Give the plain average over the editions of the paper."""
        return spread(self.vector(school, correlation))[0]


@dataclass(frozen=True)
class Results:
    """A folder of results; ``run`` is what its run.json says."""

    path: Path
    run: Mapping[str, Any]
    cells: Mapping[tuple[str, str], Cell]

    @property
    def embeddings(self) -> tuple[str, ...]:
        """The embeddings that there are cells of: those of the paper first, the others by name."""
        found = {embedding for embedding, _ in self.cells} - {NONE}
        known = [name for name in load_paper().by_embedding if name in found]
        return (*known, *sorted(found.difference(known)))

    def rows(self, embedding: str) -> dict[str, Cell]:
        """Give the cells of an embedding by row."""
        return {row: cell for (name, row), cell in self.cells.items() if name == embedding}

    @property
    def pairs(self) -> dict[str, int]:
        """The pairs of each edition that were scored, as far as the run has noted them."""
        found = self.run.get("pairs")
        return found if isinstance(found, dict) else {}


def spread(values: tuple[float, ...], weights: tuple[int, ...] | None = None) -> Spread:
    """Give the mean and the deviation of a population: Σ w(x − m)² / Σ w, and its root."""
    if not values:
        return _UNDEFINED
    mean = np.average(values, weights=weights)
    squares = (np.array(values) - mean) ** 2
    return float(mean), math.sqrt(np.average(squares, weights=weights))


def read_results(folder: str | Path) -> Results:
    """Read a folder of results, whole or in the making."""
    path = Path(folder)
    if not (path / RUN).is_file():
        raise InputError(
            f"{path}: expected a folder of results, found no {RUN} in it; "
            "make one with sfbow reproduce"
        )
    # Sorted, so that the order of a folder's entries does not show in tables.
    cells = [_read_cell(file) for file in sorted((path / "cells").glob("*/*.json"))]
    return Results(
        path, read_json(path / RUN), {(each.embedding, each.row): each for each in cells}
    )


def _read_cell(path: Path) -> Cell:
    values = read_json(path)
    try:
        report = values["report"]
        return Cell(
            embedding=_text(values["embedding"]),
            row=_text(values["row"]),
            seconds={name: float(value) for name, value in values["seconds"].items()},
            size=None if values["size"] is None else int(values["size"]),
            sentences_per_second=_number(values["sentences_per_second"]),
            report=None if report is None else UniverseReport.from_dict(report),
            scores=_scores(values["scores"] or {}),
            failed=values["failed"],
        )
    except KeyError as error:
        raise damaged(path, f"no {error}") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise damaged(path, str(error)) from None


def _scores(values: Any) -> Scores:  # noqa: ANN401 - what JSON holds
    return {
        edition: {
            school: {name: _number(score) for name, score in kinds.items()}
            for school, kinds in schools.items()
        }
        for edition, schools in values.items()
    }


def _number(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} for a number")
    return float(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} for a name")
    return value


def read_json(path: Path) -> dict[str, Any]:
    """Read one of the files that a run has left."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path}: expected a file to read, found {error.strerror}; correct it"
        ) from None
    except (ValueError, RecursionError) as error:
        raise damaged(path, str(error)) from None
    if not isinstance(values, dict):
        raise damaged(path, f"{type(values).__name__} at the top")
    return values


def damaged(path: Path, found: str) -> InputError:
    """Make an error about a file that is not as a run has left it."""
    return InputError(
        f"{path}: expected what sfbow reproduce writes, found {found}; "
        "delete the file and run again"
    )
