"""The numbers of a row of a table: scores and averages, each beside the paper's.

Averages over cells are over those that are there. Beside them stands what the paper prints if all
are there, and otherwise the average of the paper's own figures for the same cells, so that like is
compared with like.
"""

import math
from collections.abc import Sequence

from sfbow.evaluation.correlation import School
from sfbow.experiment.paper import Spread, load_paper
from sfbow.experiment.results import Results, spread
from sfbow.experiment.table import Number

Key = tuple[str, str]
"""An embedding and a row."""


def scored(results: Results, school: School, key: Key) -> tuple[Number, ...]:
    """Give the scores on the editions, their average and the paper's weighted average."""
    table = load_paper()
    cell, printed = results.cells.get(key), table.row(*key)
    scores = cell.vector(school) if cell else (math.nan,) * len(table.editions)
    of_paper = printed.scores if printed else (None,) * len(scores)
    averages = (
        _number(spread(scores), printed.average if printed else None),
        _number(spread(scores, table.support), printed.weighted if printed else None),
    )
    numbers = (Number(score, paper=paper) for score, paper in zip(scores, of_paper, strict=True))
    return (*numbers, *averages)


def pooled(
    results: Results, school: School, keys: Sequence[Key], printed: Sequence[Spread] | None
) -> tuple[Number, ...]:
    """Average over cells, edition by edition; then over the editions.

    ``printed`` is what the paper has for all of the keys.
    """
    numbers = [
        _pooled(results, school, keys, edition, printed[place] if printed else None)
        for place, edition in enumerate(load_paper().editions)
    ]
    papers = [number.paper for number in numbers if number.paper is not None]
    paper = sum(papers) / len(papers) if len(papers) == len(numbers) else None
    average = sum(number.value for number in numbers) / len(numbers)
    return (*numbers, Number(average, paper=paper))


def evaluated(results: Results, school: School, keys: Sequence[Key]) -> list[Key]:
    """Give the keys of the cells that have a score on each edition."""
    return [
        key
        for key in keys
        if key in results.cells and not math.isnan(results.cells[key].average(school))
    ]


def _pooled(
    results: Results, school: School, keys: Sequence[Key], edition: str, printed: Spread | None
) -> Number:
    there = evaluated(results, school, keys)
    if not there:
        return _number(spread(()), printed)
    if len(there) < len(keys) or printed is None:
        scores = [load_paper().score(*key, edition) for key in there]
        known = tuple(score for score in scores if score is not None)
        printed = spread(known) if len(known) == len(there) else None
    return _number(
        spread(tuple(results.cells[key].score(edition, school) for key in there)), printed
    )


def _number(found: Spread, printed: Spread | None) -> Number:
    return Number(*found, *(printed or (None, None)))
