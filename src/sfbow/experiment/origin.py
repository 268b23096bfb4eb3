"""What a folder of results is of, in its run.json: results of anything else are not mixed in."""

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sfbow
from sfbow.errors import InputError
from sfbow.evaluation import Benchmark
from sfbow.experiment.results import NONE, RUN, damaged, read_json
from sfbow.writers import replacing

_SAMPLE = 1 << 20  # bytes of each end of a file

Made = Mapping[str, str | Path]
"""By the name of an embedding or a row: the file or folder that it comes from, or what it is."""


def note_origin(out: Path, benchmark: Benchmark, made: Made, seed: int) -> None:
    """Write run.json, or check that it says the same of what has cells, and add what is new."""
    path = out / RUN
    content: dict[str, Any] = {
        "sfbow": sfbow.__version__,
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "numba")},
        "machine": f"{platform.platform()}, {os.cpu_count()} cores",
        "seed": seed,
        "data": _digest_of_pairs(benchmark),
        "pairs": {edition.name: len(edition) for edition in benchmark.editions},
        "made_of": {name: _origin(source) for name, source in made.items()},
    }
    used = _used(out)
    if used and path.exists():
        before = read_json(path)
        try:
            before["made_of"] = {name: before["made_of"][name] for name in used}
            _check_same(path, before, content)
            content["made_of"] = before["made_of"] | content["made_of"]
        except (AttributeError, KeyError, TypeError) as error:
            raise damaged(path, str(error)) from None
    write_json(path, content)


def _used(out: Path) -> set[str]:
    """Give the embeddings, and the rows without one, that there are cells of."""
    cells = [path.relative_to(out / "cells") for path in out.glob("cells/*/*.json")]
    return {cell.stem if cell.parts[0] == NONE else cell.parts[0] for cell in cells}


def _check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for what in ("seed", "data"):
        if before[what] != now[what]:
            raise _mixed(path, what)
    for name in before["made_of"].keys() & now["made_of"].keys():
        known = before["made_of"][name]
        if not _is_same(now["made_of"][name], known):
            raise _mixed(path, f"{name}, which was {known['name']},")


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a file in one step, so that it is whole whenever it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(json.dumps(content, indent=1).encode() + b"\n")


def _mixed(path: Path, what: str) -> InputError:
    return InputError(
        f"{path}: expected the same {what} as before, found another; "
        "give another folder for the results"
    )


def _origin(source: str | Path) -> dict[str, Any]:
    if isinstance(source, str):
        return {"name": source}
    files = sorted(file for file in source.rglob("*") if file.is_file()) or [source]
    sizes = [file.stat().st_size for file in files]
    return {"name": source.name, "bytes": sum(sizes), "ends": _digest_of_ends(files)}


def _is_same(origin: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Compare contents, where there are any; a file may be called otherwise by now."""
    content = ("bytes", "ends") if "ends" in origin else ("name",)
    return all(origin[key] == other.get(key) for key in content)


def _digest_of_ends(files: Sequence[Path]) -> str:
    """Give the SHA-256 of each file's beginning and end: all of them would take too long."""
    found = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            found.update(file.read(_SAMPLE))
            file.seek(-min(_SAMPLE, path.stat().st_size), os.SEEK_END)
            found.update(file.read())
    return found.hexdigest()


def _digest_of_pairs(benchmark: Benchmark) -> str:
    """Give the SHA-256 of all texts and scores."""
    found = hashlib.sha256()
    for edition in benchmark.editions:
        for pairs in edition.sets:
            rows = zip(pairs.left, pairs.right, pairs.gold.tolist(), strict=True)
            found.update(json.dumps([edition.name, pairs.name, *rows]).encode())
    return found.hexdigest()
