"""Evaluations as text: a table for people, Markdown, CSV or JSON."""

from collections.abc import Iterator, Sequence
from typing import Literal

from sfbow.evaluation.correlation import CORRELATIONS, SCHOOLS, Correlation, School
from sfbow.evaluation.records import as_csv, as_json, score_records
from sfbow.evaluation.resampling import Bootstrap, Comparison
from sfbow.evaluation.results import Evaluation
from sfbow.evaluation.tables import (
    TIMES_100,
    UNDEFINED,
    Table,
    as_markdown,
    as_text,
    hundredfold,
    interval_text,
    share_text,
)

Format = Literal["table", "markdown", "csv", "json"]


def report(
    evaluations: Sequence[Evaluation],
    *,
    format: Format = "table",
    schools: Sequence[School] = SCHOOLS,
    correlations: Sequence[Correlation] = CORRELATIONS,
    details: bool = False,
    resampled: Bootstrap | None = None,
    compare: bool = False,
) -> str:
    """Report evaluations on one benchmark.

    ``details`` adds the pair sets to tables, which CSV and JSON always have; ``resampled`` adds
    intervals, and with ``compare`` each model is tested against the first. Tables show correlations
    ×100, CSV and JSON as they are.
    """
    compared = _compared(resampled, schools, correlations) if resampled and compare else []
    if format in ("csv", "json"):
        records = list(score_records(evaluations, schools, correlations, resampled))
        if format == "csv":
            return as_csv(records)
        return as_json(evaluations, records, resampled, compared)
    tables = [_scores(evaluations, schools, correlations, resampled)]
    if details:
        tables += [_sets(evaluations, correlation) for correlation in correlations]
    if resampled and compared:
        tables.append(_comparisons(resampled, compared))
    tables.append(_coverage(evaluations))
    return "\n\n".join(map(as_text if format == "table" else as_markdown, tables))


def _scores(
    evaluations: Sequence[Evaluation],
    schools: Sequence[School],
    correlations: Sequence[Correlation],
    resampled: Bootstrap | None,
) -> Table:
    first = evaluations[0]
    columns = [edition.name for edition in first.editions]
    titles = list(columns)
    if len(columns) > 1:
        columns.append("average")
        titles.append("average ± sd")
        if "paper_average" in first.summary():
            columns.append("paper_average")
            titles.append("paper's average")
    rows: list[list[str]] = []
    for place, evaluation in enumerate(evaluations):
        for correlation in correlations:
            for school in schools:
                scores = _score_cells(evaluation, school, correlation)[: len(columns)]
                rows.append([evaluation.model, correlation, school, *scores])
                if resampled:
                    ends = (resampled.interval(place, at, school, correlation) for at in columns)
                    rows.append(["", "", "", *map(interval_text, ends)])
    title = f"{first.benchmark}, {first.pairs:,} pairs, correlation {TIMES_100}"
    if resampled:
        title += f", {resampled.level:.0%} intervals of {resampled.resamples:,} resamples"
    return Table(title, ["model", "correlation", "school", *titles], rows, 3)


def _score_cells(evaluation: Evaluation, school: School, correlation: Correlation) -> list[str]:
    summary = evaluation.summary(school, correlation)
    cells = list(map(hundredfold, evaluation.scores(school, correlation).tolist()))
    cells.append(f"{hundredfold(summary['average'])} ± {hundredfold(summary['deviation'])}")
    if "paper_average" in summary:
        cells.append(hundredfold(summary["paper_average"]))
    return cells


def _sets(evaluations: Sequence[Evaluation], correlation: Correlation) -> Table:
    rows = []
    for at, edition in enumerate(evaluations[0].editions):
        for place, each in enumerate(edition.sets):
            found = (one.editions[at].sets[place].score(correlation) for one in evaluations)
            rows.append([edition.name, each.name, f"{len(each.gold):,}", *map(hundredfold, found)])
    header = ["edition", "pairs of", "pairs", *(one.model for one in evaluations)]
    return Table(f"{correlation.capitalize()} of each sub-dataset, {TIMES_100}", header, rows, 2)


def _compared(
    resampled: Bootstrap, schools: Sequence[School], correlations: Sequence[Correlation]
) -> list[tuple[School, Correlation, Comparison]]:
    """Test each model against the first, on the average of the editions."""
    return [
        (school, correlation, resampled.compare(0, other, "average", school, correlation))
        for other in range(1, len(resampled.evaluations))
        for correlation in correlations
        for school in schools
    ]


def _comparisons(
    resampled: Bootstrap, compared: Sequence[tuple[School, Correlation, Comparison]]
) -> Table:
    rows = [
        [
            found.b,
            correlation,
            school,
            f"{100 * found.difference:+.2f}",
            f"{100 * found.low:+.2f} to {100 * found.high:+.2f}",
            f"{found.p_value:.4f}",
        ]
        for school, correlation, found in compared
    ]
    interval = f"{resampled.level:.0%} interval"
    header = ["model", "correlation", "school", "difference", interval, "p"]
    what = " of the average" if len(resampled.evaluations[0].editions) > 1 else ""
    first = resampled.evaluations[0].model
    return Table(f"Difference{what} to {first}, {TIMES_100}, paired bootstrap", header, rows, 3)


def _coverage(evaluations: Sequence[Evaluation]) -> Table:
    return Table(
        "What the models know of the texts", _COVERAGE, list(_coverage_rows(evaluations)), 1
    )


_COVERAGE = ("model", "texts", "zero vectors", "words", "unknown words", "seconds")


def _coverage_rows(evaluations: Sequence[Evaluation]) -> Iterator[list[str]]:
    for each in evaluations:
        known = each.coverage
        yield [
            each.model,
            f"{known.texts:,}",
            share_text(known.zero_vectors, known.texts),
            UNDEFINED if known.words is None else f"{known.words:,}",
            share_text(known.unknown_words, known.words),
            f"{each.seconds:.2f}",
        ]
