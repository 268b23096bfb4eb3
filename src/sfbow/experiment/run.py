"""Run the experiment, cell by cell; what is finished is on disk and is not done again."""

import json
import platform
import time
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tqdm import tqdm

import sfbow
from sfbow.errors import InputError, OptionError
from sfbow.evaluation import Benchmark, ComparesTexts, Evaluation, evaluate
from sfbow.evaluation.correlation import CORRELATIONS, SCHOOLS
from sfbow.experiment.grid import Row, Source, rows_of
from sfbow.universe import Universe
from sfbow.writers import replacing

_SPEED_TEXTS = 2000


def run_experiment(
    sources: Sequence[Source],
    benchmark: Benchmark,
    out: Path,
    *,
    only: Sequence[str] = (),
    seed: int = 0,
    others: Sequence[Row] = (),
    show_progress_bar: bool = False,
) -> None:
    """Make the cells that ``out`` lacks; ``only`` holds patterns of rows, as "kmeans-*".

    ``others`` are rows that need no word vectors.
    """
    plan = list(_plan(sources, others, out, only))
    _write_run(out, sources, benchmark, seed)
    total = sum(row.cost for _, row, _ in plan)
    with tqdm(total=total, unit="", disable=not show_progress_bar, bar_format=_BAR) as bar:
        for source, row, path in plan:
            bar.set_postfix_str(f"{path.parent.name} {row.name}")
            if not path.exists():
                _write(path, _cell(source, row, benchmark, seed))
            bar.update(row.cost)


_BAR = "{percentage:3.0f}%|{bar}| {elapsed}, {remaining} to go{postfix}"


def _plan(
    sources: Sequence[Source], others: Sequence[Row], out: Path, only: Sequence[str]
) -> Iterator[tuple[Source, Row, Path]]:
    none = Source("none", Path())
    rows = [(none, row) for row in others]
    rows += [(source, row) for source in sources for row in rows_of(source)]
    for pattern in only:
        if not any(fnmatchcase(row.name, pattern) for _, row in rows):
            names = ", ".join(dict.fromkeys(row.name for _, row in rows))
            raise OptionError("only", expected=f"some of {names}", found=pattern)
    for source, row in rows:
        if not only or any(fnmatchcase(row.name, pattern) for pattern in only):
            yield source, row, out / "cells" / source.name / f"{row.name}.json"


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
            school: {kind: edition.score(school, kind) for kind in CORRELATIONS}
            for school in SCHOOLS
        }
        for edition in result.editions
    }


def _speed(model: Any, benchmark: Benchmark) -> float | None:  # noqa: ANN401
    """Encode some sentences, the second time by the clock."""
    if isinstance(model, ComparesTexts):
        return None
    texts = [
        text for edition in benchmark.editions for pairs in edition.sets for text in pairs.left
    ]
    texts = texts[:_SPEED_TEXTS]
    model.encode(texts)
    start = time.perf_counter()
    model.encode(texts)
    return len(texts) / (time.perf_counter() - start)


def _write_run(out: Path, sources: Sequence[Source], benchmark: Benchmark, seed: int) -> None:
    """Note what the results are of; refuse to mix them with those of anything else."""
    path = out / "run.json"
    settings = {"seed": seed, "pairs": len(benchmark)}
    embeddings = {
        source.name: {"file": source.path.name, "bytes": _size(source.path)} for source in sources
    }
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        for name, found in embeddings.items():
            known = before["embeddings"].get(name, found)
            if known != found or before["settings"] != settings:
                raise InputError(
                    f"{path}: expected the same vectors, data and seed as before, found others "
                    f"for {name}; give another folder for the results"
                )
        embeddings = before["embeddings"] | embeddings
    content = {
        "sfbow": sfbow.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba")},
        "machine": platform.platform(),
        "settings": settings,
        "embeddings": embeddings,
    }
    _write(path, content)


def _size(path: Path) -> int:
    if path.is_dir():
        return sum(file.stat().st_size for file in path.iterdir() if file.is_file())
    return path.stat().st_size


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps(content, indent=1).encode() + b"\n")
