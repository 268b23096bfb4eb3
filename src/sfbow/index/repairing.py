"""Damage: which files of an index have it, and how to go on without them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sfbow.errors import ModelFolderError
from sfbow.index.manifest import Manifest, read_manifest
from sfbow.index.segments import Places
from sfbow.index.snapshot import NONE, LiveSegment, Snapshot, open_segments
from sfbow.index.writing import Writer
from sfbow.storage import verify_file

Faults = dict[str, ModelFolderError]


def damaged_files(path: Path) -> Faults:
    """Compare each file of an index with its SHA-256."""
    while True:
        manifest = read_manifest(path)
        faults = _damaged(path, manifest)
        # A file may be gone because somebody has just replaced it.
        if not faults or read_manifest(path) == manifest:
            return faults


def _damaged(path: Path, manifest: Manifest) -> Faults:
    faults = {}
    for name, entry in manifest.files.items():
        try:
            verify_file(path, name, entry)
        except ModelFolderError as error:
            faults[name] = error
    return faults


def give_up_damaged(path: Path, writer: Writer) -> Faults:
    """Let an index go on without the files that are damaged."""
    manifest = read_manifest(path)
    faults = _damaged(path, manifest)
    if not faults:
        return faults
    lost = manifest.removed in faults
    opened = open_segments(path, replace(manifest, removed=None) if lost else manifest, {})
    segments = tuple(live for live in opened.segments if live.segment.name not in faults)
    removed = _superseded(segments) if lost else ()
    with writer.turn():
        writer.write(Snapshot(path, opened.manifest, segments), opened.manifest, removed=removed)
    return faults


def _superseded(segments: Sequence[LiveSegment]) -> list[Places]:
    """Find the rows of each segment whose ids were added again later."""
    superseded = []
    for number, live in enumerate(segments):
        later = [
            live.segment.ids.find_exact(other.segment.ids.texts) for other in segments[number + 1 :]
        ]
        rows = np.unique(np.concatenate([NONE, *later]))
        superseded.append(rows[rows >= 0])
    return superseded
