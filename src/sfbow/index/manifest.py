"""The manifest: what an index is and which files it has, with a checksum of its own."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, get_args

from sfbow.errors import InputError
from sfbow.index.ids import IdKind
from sfbow.index.levels import Levels, Storage
from sfbow.measures import Measure
from sfbow.storage import Entry, damaged, document, read_config, replace_config

KIND = "index"
_FILE = "config.json"


class SegmentEntry(NamedTuple):
    """A segment's file, and the number of its rows, removed ones included."""

    file: str
    rows: int


class ModelEntry(NamedTuple):
    """What the texts became sets with, and where it was: None is the model inside the package.

    A name that begins with "./" is a folder within the index.
    """

    name: str | None
    fingerprint: str


@dataclass(frozen=True)
class Manifest:
    """The state of an index.

    The scale is not known before there is a row that is not zero, the kind of the ids before there
    is a row at all. ``inserted`` counts all rows that were ever added; ``removed`` names the file
    that tells which of them are not there any more.
    """

    storage: Storage
    measure: Measure
    size: int
    scale: float | None = None
    ids: IdKind | None = None
    model: ModelEntry | None = None
    inserted: int = 0
    segments: tuple[SegmentEntry, ...] = ()
    removed: str | None = None
    files: Mapping[str, Entry] = field(default_factory=dict)

    @property
    def levels(self) -> Levels:
        """How memberships are stored."""
        scale = 1.0 if self.scale is None else self.scale
        return Levels(self.storage, self.measure, self.size, scale)

    def with_files(
        self,
        segments: list[SegmentEntry],
        removed: str | None,
        entries: Mapping[str, Entry],
    ) -> "Manifest":
        """Give the manifest of these files; ``entries`` may have more."""
        names = [segment.file for segment in segments] + ([removed] if removed else [])
        if len(set(names)) < len(names):  # which no change of ours leads to
            raise InputError("ids: expected distinct ones, found some twice; build the index again")
        files = {name: entries[name] for name in names}
        return replace(self, segments=tuple(segments), removed=removed, files=files)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Make it the state of an index, in a single step."""
    settings = asdict(manifest)
    files = settings.pop("files")
    settings["segments"] = [segment._asdict() for segment in manifest.segments]
    settings["model"] = manifest.model and manifest.model._asdict()
    content = document(KIND, settings, files)
    replace_config(path, {**content, "checksum": _checksum(content)})


def _checksum(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_manifest(path: Path) -> Manifest:
    """Read and check the manifest of an index."""
    content = read_config(path, KIND)
    if content.pop("checksum", None) != _checksum(content):
        raise damaged(path, _FILE, "a checksum that fits", "another")
    try:
        manifest = _parsed(content)
        _ = manifest.levels  # which checks its settings
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        found = f"{type(error).__name__}: {str(error)[:200]}"
        raise damaged(path, _FILE, "the settings of an index", found) from None
    return manifest


def _parsed(content: dict[str, Any]) -> Manifest:
    segments = tuple(SegmentEntry(**entry) for entry in content["segments"])
    named = [segment.file for segment in segments]
    removed = content["removed"]
    if sorted(named + ([removed] if removed is not None else [])) != sorted(content["files"]):
        raise ValueError("segments that are not its files")
    for count in (content["inserted"], *(segment.rows for segment in segments)):
        if type(count) is not int or not 0 <= count < 1 << 62:
            raise ValueError(f"{count!r:.50} rows")
    if content["ids"] not in (*get_args(IdKind), None) or (segments and content["ids"] is None):
        raise ValueError(f"ids that are {content['ids']!r:.50}")
    model = content["model"]
    return Manifest(
        storage=content["storage"],
        measure=content["measure"],
        size=content["size"],
        scale=content["scale"],
        ids=content["ids"],
        model=None if model is None else _model(**model),
        inserted=content["inserted"],
        segments=segments,
        removed=removed,
        files=content["files"],
    )


def _model(name: str | None, fingerprint: str) -> ModelEntry:
    if not (name is None or isinstance(name, str)) or not isinstance(fingerprint, str):
        raise TypeError("a model without a name and a fingerprint")
    return ModelEntry(name, fingerprint)
