"""Run the experiment, cell by cell; what is finished is on disk and is not done again."""

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sfbow.errors import InputError, OptionError
from sfbow.evaluation import Benchmark, Evaluation, evaluate
from sfbow.evaluation.correlation import CORRELATIONS, SCHOOLS
from sfbow.experiment.grid import Row, Source, rows_of
from sfbow.experiment.origin import note_origin, write_json
from sfbow.experiment.results import NONE
from sfbow.universe import Universe

_SPEED_TEXTS = 2000
_SPEED_RUNS = 5
_SPEED_SECONDS = 2
_BAR = "{percentage:3.0f}%|{bar}| {elapsed}, {remaining} to go{postfix}"

Cell = tuple[Source, Row, Path]
"""A row of an embedding, and the file that it will be."""


def run_experiment(
    sources: Sequence[Source],
    benchmark: Benchmark,
    out: Path,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    rows: Callable[[Source], Sequence[Row]] = rows_of,
    others: Sequence[Row] = (),
    show_progress_bar: bool = False,
) -> None:
    """Make the cells that ``out`` lacks; ``only`` holds patterns of rows, as "kmeans-*".

    ``rows`` gives the rows of an embedding; ``others`` are rows that need none.
    """
    none = Source(NONE, Path())
    grid = [(source, row) for source in sources for row in rows(source)]
    names = [source.name for source in sources]
    _check_names(names, [NONE])
    _check_names([row.name for row in others], [*names, *(row.name for _, row in grid)])
    plan = list(_plan([*((none, row) for row in others), *grid], out, only))
    made = {source.name: source.path for source in sources}
    note_origin(out, benchmark, made | {row.name: row.made_of for row in others}, seed)
    missing = [cell for cell in plan if not cell[2].exists()]
    with _bar(plan, missing, show_progress_bar) as bar:
        for source, cells in groupby(missing, key=lambda cell: cell[0]):
            for _, row, path in cells:
                bar.set_postfix_str(f"{source.name} {row.name}")
                write_json(path, _cell(source, row, benchmark, seed))
                bar.update(row.cost)
            source.forget()


def _check_names(names: Iterable[str], taken: Collection[str]) -> None:
    """Refuse names that two things have: their files would be the same."""
    seen = {name.lower() for name in taken}
    for name in names:
        if name.lower() in seen:
            raise OptionError("names", expected="one of its own for each", found=name)
        seen.add(name.lower())


def _plan(rows: Sequence[tuple[Source, Row]], out: Path, only: Sequence[str]) -> Iterator[Cell]:
    for pattern in only:
        if not any(fnmatchcase(row.name, pattern) for _, row in rows):
            names = ", ".join(dict.fromkeys(row.name for _, row in rows))
            raise OptionError("only", expected=f"some of {names}", found=pattern)
    for source, row in rows:
        if not only or any(fnmatchcase(row.name, pattern) for pattern in only):
            yield source, row, out / "cells" / source.name / f"{row.name}.json"


def _bar(plan: Sequence[Cell], missing: Sequence[Cell], show: bool) -> tqdm:
    """Make a bar of costs; the time to go is reckoned from what this run does, not earlier ones."""
    total, to_do = (sum(row.cost for _, row, _ in cells) for cells in (plan, missing))
    return tqdm(
        total=total,
        initial=total - to_do,
        smoothing=0,
        unit="",
        disable=not show,
        bar_format=_BAR,
    )


def _cell(source: Source, row: Row, benchmark: Benchmark, seed: int) -> dict[str, Any]:
    cell: dict[str, Any] = {"embedding": source.name, "row": row.name}
    start = time.perf_counter()
    try:
        model, universe = row.build(source, seed)
    except OptionError as error:  # DBSCAN may find no cluster; k may exceed the words
        seconds = {"build": time.perf_counter() - start, "evaluate": 0.0}
        empty: dict[str, Any] = {
            "size": None,
            "sentences_per_second": None,
            "report": None,
            "scores": {},
        }
        return cell | {"seconds": seconds, **empty, "failed": str(error)}
    built = time.perf_counter() - start
    result = evaluate(model, benchmark, name=row.name)
    return cell | {
        "seconds": {"build": built, "evaluate": result.seconds},
        "size": getattr(model, "size", None),
        "sentences_per_second": _speed(model, benchmark),
        "report": universe.report.as_dict() if isinstance(universe, Universe) else None,
        "scores": _scores(result),
        "failed": None,
    }


def _scores(result: Evaluation) -> dict[str, Any]:
    return {
        edition.name: {
            school: {kind: _defined(edition.score(school, kind)) for kind in CORRELATIONS}
            for school in SCHOOLS
        }
        for edition in result.editions
    }


def _defined(score: float) -> float | None:
    """Give null for NaN, which JSON does not have."""
    return None if math.isnan(score) else score


def _speed(model: Any, benchmark: Benchmark) -> float | None:  # noqa: ANN401
    """Encode some sentences, and again by the clock: the fastest, as others may use the machine."""
    texts = [
        text for edition in benchmark.editions for pairs in edition.sets for text in pairs.left
    ]
    texts = texts[:_SPEED_TEXTS]
    if not hasattr(model, "encode"):
        return None
    try:
        model.encode(texts)
    except InputError:  # vectors as long as the vocabulary may be too many
        return None
    times: list[float] = []
    while len(times) < _SPEED_RUNS and sum(times) < _SPEED_SECONDS:
        start = time.perf_counter()
        model.encode(texts)
        times.append(time.perf_counter() - start)
    return len(texts) / min(times)
