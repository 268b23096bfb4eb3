"""Folders on disk: config.json, and safetensors files that it names with their SHA-256.

A data file's name holds the beginning of its SHA-256, so a new version never touches the files of
the old one; replacing config.json is the one step that changes from the old to the new. A process
that is killed leaves the folder as it was, at most with a stray temporary file in it.
"""

import hashlib
import json
import os
import re
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sfbow.errors import ModelFolderError
from sfbow.locks import locked
from sfbow.safetensors import TensorSource, map_tensor, read_header, write_tensors

VERSION = 1
_CONFIG = "config.json"
_LARGEST_CONFIG = 1 << 24
_MAKING = {"index": "make one with FuzzyIndex.create() or 'sfbow index'"}
_OURS = re.compile(r"[a-z]+-[0-9a-f]{12}\.safetensors|\.[0-9a-f]{16}\.part")
_STALE = 3600  # seconds since a file was last written, after which nobody is writing it
_FILE_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}\.safetensors")

Entry = Mapping[str, Any]  # the size and the SHA-256 of a data file


@dataclass(frozen=True)
class Folder:
    """A folder, opened: its settings and its mapped tensors."""

    path: Path
    config: dict[str, Any]
    tensors: dict[str, NDArray[Any]]

    def tensor(self, name: str, kind: str, dimensions: int) -> NDArray[Any]:
        """Give a tensor, which must have one of the types ``kind`` (as "f4 i1")."""
        if name not in self.tensors:
            raise damaged(self.path, "its files", f"a tensor {name!r}", "none")
        array = self.tensors[name]
        if array.dtype.str[1:] not in kind.split() or array.ndim != dimensions:
            found = f"{array.ndim} of {array.dtype}"
            raise damaged(self.path, name, f"{dimensions} dimensions of {kind}", found)
        return array


def folder_kind(path: Path) -> str:
    """Tell what a folder claims to be: "model", say, or "" if it is none of ours."""
    try:
        name = str(_read_config(path).get("format", ""))
    except (OSError, ModelFolderError):
        return ""
    return name.removeprefix("sfbow ") if name.startswith("sfbow ") else ""


def is_folder(path: Path) -> bool:
    """Whether a folder claims to be one of ours."""
    return folder_kind(path) != ""


def save_folder(
    path: Path,
    kind: str,
    config: Mapping[str, Any],
    files: Iterable[tuple[str, Mapping[str, TensorSource]]],
) -> None:
    """Write a folder, or replace one in a single step.

    A file is asked for only after the one before it is written, so that what is learned while
    one streams through can go into the next. Of several writers one waits for the other, as it
    removes the files of the one before.
    """
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        before = _named_files(path)
        entries = dict(write_file(path, name, tensors) for name, tensors in files)
        replace_config(path, document(kind, config, entries))
        remove_leftovers(path, entries, replaced=before)


def document(kind: str, config: Mapping[str, Any], entries: Mapping[str, Entry]) -> dict[str, Any]:
    """Give what config.json says of a folder: what it is, its settings and its data files."""
    return {"format": f"sfbow {kind}", "version": VERSION, **config, "files": dict(entries)}


def write_file(path: Path, name: str, tensors: Mapping[str, TensorSource]) -> tuple[str, Entry]:
    """Write a data file, durably but for its name; give the name and its entry in config.json."""
    with _temporary(path) as temporary:
        write_tensors(temporary, tensors)
        digest = sha256(temporary)
        final = f"{name}-{digest[:12]}.safetensors"
        entry = {"bytes": temporary.stat().st_size, "sha256": digest}
        temporary.replace(path / final)
    return final, entry


def replace_config(path: Path, document: Mapping[str, Any]) -> None:
    """Change from the old state of a folder to the new one."""
    with _temporary(path) as temporary:
        with temporary.open("x", encoding="utf-8") as file:
            file.write(json.dumps(document, indent=2, ensure_ascii=False))
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(path)
        temporary.replace(path / _CONFIG)
    _sync_folder(path)


def remove_leftovers(
    path: Path, needed: Collection[str], *, replaced: Collection[str] = (), age: float = _STALE
) -> None:
    """Remove what was replaced, and what a process left that was killed while it wrote.

    The latter is what nobody has written to for ``age`` seconds. What is needed stays.
    """
    for file in path.iterdir():
        with suppress(OSError):
            stray = _OURS.fullmatch(file.name) is not None
            old = stray and time.time() - file.stat().st_mtime >= age
            if file.name not in needed and (file.name in replaced or old):
                file.unlink()


@contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    """Give the path of a new sibling, which is gone afterwards unless it was renamed."""
    path = folder / f".{secrets.token_hex(8)}.part"
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def _sync_folder(path: Path) -> None:
    """Make renames last; a system that cannot open folders needs no such thing."""
    with suppress(PermissionError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _named_files(path: Path) -> set[str]:
    """Names of the data files that the present config.json speaks of."""
    try:
        files = _read_config(path)["files"]
        return {name for name, entry in files.items() if _is_entry(name, entry)}
    except (OSError, ModelFolderError, KeyError, AttributeError):
        return set()


def open_folder(path: Path, kind: str) -> Folder:
    """Open a folder: its config is read, its tensors are mapped."""
    before: dict[str, Any] = {}
    while True:
        config = read_config(path, kind)
        try:
            tensors: dict[str, NDArray[Any]] = {}
            for name, entry in config["files"].items():
                tensors |= map_file(path, name, entry)
            return Folder(path, config, tensors)
        except FileNotFoundError as error:
            # Somebody may have replaced the model between our two looks.
            if config == before:
                missing = Path(error.filename).name
                raise damaged(path, "its files", missing, "no such file") from None
        before = config


def read_config(path: Path, kind: str) -> dict[str, Any]:
    """Read config.json, which must be one of this kind of folder, and of this version."""
    config = _read_config(path, kind)
    if config.get("format") != f"sfbow {kind}":
        raise ModelFolderError(
            path,
            _CONFIG,
            expected=f"the format 'sfbow {kind}'",
            found=_short(config.get("format")),
            cure="give a folder of that format",
        )
    if config.get("version") != VERSION:
        raise ModelFolderError(
            path,
            _CONFIG,
            expected=f"version {VERSION}",
            found=_short(config.get("version")),
            cure="install a newer sfbow",
        )
    files = config.get("files")
    if not isinstance(files, dict) or not all(map(_is_entry, files, files.values())):
        raise damaged(path, _CONFIG, "a table 'files' of names, bytes and sha256", _short(files))
    return config


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _is_entry(name: str, entry: object) -> bool:
    """Whether this names a file within the folder, and nothing outside it."""
    return (
        _FILE_NAME.fullmatch(name) is not None
        and isinstance(entry, dict)
        and type(entry.get("bytes")) is int
        and type(entry.get("sha256")) is str
    )


def _read_config(path: Path, kind: str = "") -> dict[str, Any]:
    config = path / _CONFIG
    try:
        if config.exists() and not config.is_file() and not config.is_dir():
            raise damaged(path, _CONFIG, "a file", "a device or a pipe")
        if config.stat().st_size > _LARGEST_CONFIG:
            raise damaged(path, _CONFIG, "a small file", f"{config.stat().st_size} bytes")
        document = json.loads(config.read_bytes())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise ModelFolderError(
            path,
            expected=f"a folder with {_CONFIG}",
            found="none" if path.is_dir() else "no such folder",
            cure=_MAKING.get(kind, "make one with save_pretrained() or 'sfbow build'"),
        ) from None
    except (ValueError, RecursionError) as error:
        raise damaged(path, _CONFIG, "JSON", str(error)) from None
    if not isinstance(document, dict):
        raise damaged(path, _CONFIG, "a JSON table", type(document).__name__)
    return document


def open_file(path: Path, name: str, entry: Entry) -> Folder:
    """Map a single data file, so that faults are told of it."""
    try:
        return Folder(path / name, {}, map_file(path, name, entry))
    except FileNotFoundError:
        raise damaged(path, name, f"a file of {entry['bytes']} bytes", "no such file") from None


def map_file(path: Path, name: str, entry: Entry) -> dict[str, NDArray[Any]]:
    """Map the tensors of a data file."""
    file = path / name
    if not file.is_file():
        raise FileNotFoundError(ENOENT, "no such file", str(file))
    size = file.stat().st_size
    if size != entry["bytes"]:
        raise damaged(path, name, f"{entry['bytes']} bytes", f"{size} bytes")
    return {tensor: map_tensor(file, info) for tensor, info in read_header(file).items()}


def verify_folder(path: Path) -> list[str]:
    """Compare each data file with its SHA-256; give the names of the files."""
    config = read_config(path, str(_read_config(path).get("format", "")).removeprefix("sfbow "))
    for name, entry in config["files"].items():
        verify_file(path, name, entry)
    return list(config["files"])


def verify_file(path: Path, name: str, entry: Entry) -> None:
    """Compare a data file with its SHA-256."""
    digest = sha256(path / name) if (path / name).is_file() else "no such file"
    if digest != entry["sha256"]:
        raise damaged(path, name, f"the SHA-256 {entry['sha256']}", digest)


def sha256(path: Path) -> str:
    """Give a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def damaged(path: Path, where: str, expected: str, found: str) -> ModelFolderError:
    """Tell that a folder's content does not fit together."""
    return ModelFolderError(
        path, where, expected=expected, found=found, cure="copy or build the folder again"
    )
