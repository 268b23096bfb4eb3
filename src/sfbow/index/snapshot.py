"""The state of an index at one moment: its segments, and which of their rows are left."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import ModelFolderError
from sfbow.index.ids import Id
from sfbow.index.levels import Stored
from sfbow.index.manifest import Manifest, read_manifest
from sfbow.index.merging import LARGEST
from sfbow.index.part import Part
from sfbow.index.segments import Places, Segment, open_segment
from sfbow.safetensors import TensorSource
from sfbow.storage import damaged, open_file
from sfbow.text import Texts

Mask = NDArray[np.bool_]
NONE: Places = np.empty(0, np.int64)
NO_MASK: Mask = np.empty(0, np.bool_)
_LISTED = 1 << 14  # ids that are in memory at a time


@dataclass(frozen=True)
class LiveSegment:
    """A segment, and which of its rows are left: all of them without a mask."""

    segment: Segment
    alive: Mask | None = None

    @cached_property
    def live(self) -> int:
        """The number of rows that are left."""
        return len(self.segment) if self.alive is None else int(self.alive.sum())

    def is_full(self) -> bool:
        """Whether nothing is gained by writing it anew."""
        return self.alive is None and len(self.segment) == LARGEST

    @property
    def rows(self) -> Places:
        """The rows that are left."""
        return np.arange(len(self.segment)) if self.alive is None else np.flatnonzero(self.alive)

    @property
    def mask(self) -> Mask:
        """Which rows are left."""
        return np.ones(len(self.segment), np.bool_) if self.alive is None else self.alive

    @property
    def removed(self) -> Places:
        """The rows that are not left."""
        return NONE if self.alive is None else np.flatnonzero(~self.alive)

    def ids(self) -> Iterator[Id]:
        """Yield the ids of the rows that are left."""
        for start in range(0, len(self.segment), _LISTED):
            rows = slice(start, min(start + _LISTED, len(self.segment)))
            ids = self.segment.some_ids(rows)
            yield from ids if self.alive is None else compress(ids, self.alive[rows])

    def without(self, rows: Places | None) -> "LiveSegment":
        """Remove rows."""
        if rows is None or len(rows) == 0:
            return self
        alive = self.mask.copy()
        alive[rows] = False
        return LiveSegment(self.segment, alive)

    def part(self, first: int, kept: Mask | None) -> Part:
        """Give what is searched: all rows, or some, numbered from ``first``."""
        stored, order = self.segment.stored, self.segment.order
        return Part(*stored, first + order.astype(np.int64), None if kept is None else kept[order])


@dataclass(frozen=True)
class Snapshot:
    """All segments, in the order of insertion, but for those that are damaged: ``faults``.

    Rows are numbered through, in the order of insertion, removed ones included.
    """

    path: Path
    manifest: Manifest
    segments: tuple[LiveSegment, ...]
    faults: tuple[ModelFolderError, ...] = ()

    def __len__(self) -> int:
        return sum(segment.live for segment in self.segments)

    @cached_property
    def _firsts(self) -> list[int]:
        """The number of each segment's first row."""
        return [0, *accumulate(len(live.segment) for live in self.segments[:-1])]

    def place(self, number: int) -> tuple[Segment, int]:
        """Give the segment of a row and its place there."""
        found = bisect_right(self._firsts, number) - 1
        return self.segments[found].segment, number - self._firsts[found]

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """All that is searched."""
        pairs = zip(self._firsts, self.segments, strict=False)
        return tuple(live.part(first, live.alive) for first, live in pairs)

    @cached_property
    def alive(self) -> Mask | None:
        """Which rows are left, by their numbers: all without a mask."""
        if all(live.alive is None for live in self.segments):
            return None
        return np.concatenate([live.mask for live in self.segments])

    def kept(self, ids: Texts) -> Mask:
        """Tell which rows have these ids, by their numbers."""
        kept = np.zeros(sum(len(live.segment) for live in self.segments), np.bool_)
        for first, rows in zip(self._firsts, self.find(ids), strict=False):
            kept[first + rows] = True
        return kept

    def parts_by_number(self, kept: Mask | None) -> tuple[Part, ...]:
        """Give what is searched, of these rows only if there is a mask."""
        if kept is None:
            return self.parts
        pairs = zip(self._firsts, self.segments, strict=False)
        return tuple(
            live.part(first, kept[first : first + len(live.segment)]) for first, live in pairs
        )

    def ids(self) -> Iterator[Id]:
        """Yield all ids in the order of insertion."""
        for live in self.segments:
            yield from live.ids()

    def sample(self, count: int) -> Stored:
        """Give some of the rows that are left, always the same ones."""
        rng = np.random.default_rng(0)
        numbers = np.flatnonzero(np.concatenate([NO_MASK, *(live.mask for live in self.segments)]))
        chosen = np.sort(rng.choice(numbers, min(count, len(numbers)), replace=False))
        bounds = np.searchsorted(chosen, [*self._firsts, np.iinfo(np.int64).max])
        taken = [
            live.segment.stored_rows(chosen[start:stop] - first)
            for live, first, (start, stop) in zip(
                self.segments, self._firsts, pairwise(bounds.tolist()), strict=False
            )
        ]
        return Stored(
            np.concatenate([stored.rows for stored in taken]),
            np.concatenate([stored.masses for stored in taken]),
        )

    def find(self, ids: Texts) -> list[Places]:
        """Give for each segment the rows that it has of these ids."""
        return [rows for _, rows in self.find_places(ids)]

    def find_places(self, ids: Texts) -> Iterator[tuple[Places, Places]]:
        """Give for each segment which of the ids it has, and in which rows."""
        for live in self.segments:
            rows = live.segment.ids.find_exact(ids).astype(np.int64)
            found = np.flatnonzero(rows >= 0)
            if live.alive is not None:
                found = found[live.alive[rows[found]]]
            yield found, rows[found]


def open_snapshot(path: Path, before: Snapshot | None = None) -> Snapshot:
    """Read the manifest, and map the segments that were not mapped before."""
    mapped = {live.segment.name: live.segment for live in before.segments} if before else {}
    while True:
        manifest = read_manifest(path)
        # A file may be missing because somebody replaces it just now: then look again.
        try:
            snapshot = open_segments(path, manifest, mapped)
        except ModelFolderError:
            if read_manifest(path) == manifest:
                raise
        else:
            if not snapshot.faults or read_manifest(path) == manifest:
                return snapshot


def open_segments(path: Path, manifest: Manifest, mapped: Mapping[str, Segment]) -> Snapshot:
    """Open the files of a manifest, but for the segments that are ``mapped``."""
    removed = _open_removed(path, manifest)
    segments, faults = [], []
    for (name, count), rows in zip(manifest.segments, removed, strict=True):
        try:
            segment = mapped.get(name) or open_segment(path, manifest, name, count)
            segments.append(LiveSegment(segment).without(rows))
        except ModelFolderError as error:
            faults.append(error)
    return Snapshot(path, manifest, tuple(segments), tuple(faults))


def removed_tensors(removed: Sequence[Places]) -> dict[str, TensorSource] | None:
    """Name the tensors that tell which rows of each segment are removed, if any are."""
    rows = np.concatenate([NONE, *removed])
    if len(rows) == 0:
        return None
    bounds = np.concatenate([[0], np.cumsum(list(map(len, removed)))])
    return {
        "bounds": TensorSource.whole(bounds.astype(np.int64)),
        "rows": TensorSource.whole(rows.astype(np.int32)),
    }


def _open_removed(path: Path, manifest: Manifest) -> list[Places]:
    """Read which rows of each segment are removed."""
    if manifest.removed is None:
        return [NONE] * len(manifest.segments)
    name = manifest.removed
    folder = open_file(path, name, manifest.files[name])
    bounds, rows = folder.tensor("bounds", "i8", 1), folder.tensor("rows", "i4", 1)
    counts = np.diff(bounds)
    sound = (
        len(bounds) == len(manifest.segments) + 1
        and (counts >= 0).all()
        and bounds[0] == 0
        and bounds[-1] == len(rows)
        and (rows >= 0).all()
        and (rows < np.repeat([segment.rows for segment in manifest.segments], counts)).all()
    )
    if not sound:
        raise damaged(path, name, "rows of its segments", "others")
    return [np.asarray(part, np.int64) for part in np.split(rows, bounds[1:-1])]
