"""What stands beside a graph's file: of what rows it is, its checksum, and a distance to try."""

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from sfbow.errors import ModelFolderError
from sfbow.index.levels import Levels
from sfbow.storage import sha256
from sfbow.writers import replacing

_FORMAT = "sfbow graph"
_VERSION = 1
_LONGEST = 1 << 16  # bytes


class Known(NamedTuple):
    """The number of rows, and the distance between two of them, by which to know the graph."""

    rows: int
    pair: tuple[int, int]
    distance: float


def describe_graph(path: Path, levels: Levels, known: Known) -> None:
    """Write PATH.json, in one step, once the graph itself is safe on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "levels": asdict(levels),
        **known._asdict(),
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
    }
    with replacing(description_of(path)) as file:
        file.write(json.dumps(document, indent=2).encode())


def checked_graph(path: Path, levels: Levels, *, verify: bool) -> Known:
    """Read PATH.json, and refuse a file that is not what it says or not of these levels."""
    document = _read(path)
    expected = {"format": _FORMAT, "version": _VERSION, "levels": asdict(levels)}
    for name, value in expected.items():
        if document.get(name) != value:
            raise unusable(path, f"{name} {value}", str(document.get(name))[:200])
    try:
        a, b = document["pair"]
        known = Known(int(document["rows"]), (int(a), int(b)), float(document["distance"]))
        size, digest = int(document["bytes"]), str(document["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        raise unusable(path, "rows, pair, distance, bytes, sha256", f"{error!r}") from None
    if not path.is_file() or path.stat().st_size != size:
        found = f"{path.stat().st_size}" if path.is_file() else "no file"
        raise unusable(path, f"{size} bytes", found)
    if verify and sha256(path) != digest:
        raise unusable(path, f"the checksum {digest[:12]}…", "another")
    return known


def _read(path: Path) -> dict[str, Any]:
    try:
        with description_of(path).open("rb") as file:
            document = json.loads(file.read(_LONGEST))
    except (OSError, ValueError, RecursionError) as error:
        raise unusable(path, f"{path.name}.json beside it", str(error)) from None
    if not isinstance(document, dict):
        raise unusable(path, f"an object in {path.name}.json", type(document).__name__)
    return document


def description_of(path: Path) -> Path:
    """Give the file that stands beside a graph's."""
    return path.with_name(f"{path.name}.json")


def unusable(path: Path, expected: str, found: str) -> ModelFolderError:
    """Say what is wrong with a graph, and that it can be made again."""
    return ModelFolderError(path, expected=expected, found=found, cure="build the graph again")
