"""Changes of an index: new files first, then the manifest that names them, in a single step."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from math import inf
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeVar

from sfbow.errors import FolderBusyError, InputError, ModelFolderError
from sfbow.index.manifest import Manifest, SegmentEntry, read_manifest, write_manifest
from sfbow.index.merging import cut, is_wasteful, taken_in
from sfbow.index.segments import Places, Rows, Segment, concatenate
from sfbow.index.snapshot import NONE, LiveSegment, Snapshot, open_snapshot, removed_tensors
from sfbow.locks import locked
from sfbow.storage import Entry, remove_leftovers, verify_file, write_file

OptionalWriter = TypeVar("OptionalWriter", bound="Writer | None")


class Source(Protocol):
    """Rows that come into memory a stretch at a time."""

    def __len__(self) -> int: ...

    def take(self, start: int, stop: int) -> Rows:
        """Give rows ``start`` to ``stop``."""


@dataclass(frozen=True)
class _Left:
    """What is left of a segment."""

    segment: Segment
    rows: Places

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, start: int, stop: int) -> Rows:
        return self.segment.take(self.rows[start:stop])


class Writer:
    """The one who may change an index: it holds the folder's lock until it is closed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._process = os.getpid()
        self._held = ExitStack()
        try:
            self._held.enter_context(locked(path, wait=False))
        except BlockingIOError:
            raise FolderBusyError(
                f"{path}: somebody else is writing there; wait, or open it to read only"
            ) from None

    def close(self) -> None:
        """Let others write."""
        self._held.close()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Let one thread at a time change the index, in the process that opened it."""
        if self._process != os.getpid():
            raise InputError(f"{self._path}: opened by another process; open it in this one")
        with self._lock:
            yield

    def clean(self) -> None:
        """Remove what a writer left that was killed, if it is sure what is needed."""
        with suppress(OSError, ModelFolderError):
            remove_leftovers(self._path, read_manifest(self._path).files, age=-inf)

    def write(
        self,
        before: Snapshot,
        manifest: Manifest,
        *,
        removed: Sequence[Places] = (),
        new: Source | None = None,
        anew: int = 0,
    ) -> Snapshot:
        """Remove rows of each segment and append new ones; give the state that this leads to.

        The manifest has the settings; its files are found here. At least the last ``anew``
        segments are written anew.
        """
        _refuse_damaged(before)
        left = [live.without(rows) for live, rows in zip_longest(before.segments, removed)]
        taken = max(anew, taken_in([live.live for live in left], len(new) if new else 0))
        kept, last = left[: len(left) - taken], left[len(left) - taken :]
        entries = dict(before.manifest.files)
        segments: list[tuple[SegmentEntry, Places]] = []
        try:
            for live in kept:
                if is_wasteful(len(live.segment), live.live):
                    segments += self._write(self._sources([live], entries), entries)
                else:
                    entry = SegmentEntry(live.segment.name, len(live.segment))
                    segments.append((entry, live.removed))
            sources = self._sources(last, entries) + ([] if new is None else [new])
            segments += self._write(sources, entries)
            name = self._write_removed([rows for _, rows in segments], entries)
            files = manifest.with_files([entry for entry, _ in segments], name, entries)
            write_manifest(self._path, files)
        finally:
            # Whatever happened, what the manifest does not name is not needed.
            self.clean()
        return open_snapshot(self._path, before)

    def _sources(
        self, segments: Sequence[LiveSegment], entries: Mapping[str, Entry]
    ) -> list[Source]:
        """Check segments before they are copied, so that no damage gets a checksum of its own."""
        for live in segments:
            verify_file(self._path, live.segment.name, entries[live.segment.name])
        return [_Left(live.segment, live.rows) for live in segments]

    def _write(
        self, sources: Sequence[Source], entries: dict[str, Entry]
    ) -> Iterator[tuple[SegmentEntry, Places]]:
        for pieces in cut([len(source) for source in sources]):
            rows = concatenate([sources[number].take(*place) for number, *place in pieces])
            name, entries[name] = write_file(self._path, "segment", rows.tensors())
            yield SegmentEntry(name, len(rows)), NONE

    def _write_removed(self, removed: Sequence[Places], entries: dict[str, Entry]) -> str | None:
        tensors = removed_tensors(removed)
        if tensors is None:
            return None
        name, entries[name] = write_file(self._path, "removed", tensors)
        return name


def _refuse_damaged(snapshot: Snapshot) -> None:
    if snapshot.faults:
        raise ModelFolderError(
            snapshot.path,
            expected="whole segments, to change them",
            found="; ".join(map(str, snapshot.faults)),
            cure="put the files back from a copy, or give them up (repair)",
        )


@contextmanager
def closing_on_error(writer: OptionalWriter) -> Iterator[OptionalWriter]:
    """Let others write if this goes wrong."""
    try:
        yield writer
    except BaseException:
        if writer is not None:
            writer.close()
        raise
