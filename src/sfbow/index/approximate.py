"""The graph of an index: made of its segments, and good for as long as these stay.

Its file is named by the segments that it has, which are the first ones; rows that were added since
are searched exactly, and rows that were removed since are no hits.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sfbow.errors import InputError
from sfbow.index.graph import EFFORT, Graph, share_found
from sfbow.index.graph_file import description_of
from sfbow.index.levels import Stored
from sfbow.index.scan import Nearest, nearest
from sfbow.index.snapshot import Mask, Snapshot

_PATTERN = "graph-*.usearch*"
_PLENTY = 4  # times as many rows as are asked for, so that enough of what the graph finds is kept


def build_graph(snapshot: Snapshot, *, threads: int | None, show_progress_bar: bool) -> None:
    """Make the graph of all segments."""
    graph = Graph.build(
        snapshot.manifest.levels,
        snapshot.parts,
        threads=threads,
        show_progress_bar=show_progress_bar,
    )
    path, _ = next(_places(snapshot))
    for old in (description_of(path), path):  # which a reader may have mapped: it keeps its own
        old.unlink(missing_ok=True)
    graph.save(path)
    remove_outdated(snapshot)


def remove_outdated(snapshot: Snapshot) -> None:
    """Remove graphs of segments that are no more, and those that another one outdoes."""
    used = next((path.name for path, _ in _places(snapshot) if _is_whole(path)), "")
    for file in snapshot.path.glob(_PATTERN):
        if not used or not file.name.startswith(used):
            file.unlink(missing_ok=True)


def _places(snapshot: Snapshot) -> Iterator[tuple[Path, int]]:
    """Yield where a graph may be, and of how many segments it is then; the best one first."""
    names = [live.segment.name for live in snapshot.segments]
    for count in range(len(names), 0, -1):
        digest = hashlib.sha256("\n".join(names[:count]).encode()).hexdigest()
        yield snapshot.path / f"graph-{digest[:12]}.usearch", count


def _is_whole(path: Path) -> bool:
    return description_of(path).exists()


@dataclass(frozen=True)
class Approximate:
    """A graph of the first segments, and exact search in the others."""

    snapshot: Snapshot
    path: Path
    graph: Graph
    segments: int

    @classmethod
    def open(cls, snapshot: Snapshot, before: "Approximate | None") -> "Approximate":
        """Open the graph of an index, having verified it, if it is not the one from before."""
        for path, count in _places(snapshot):
            if before is not None and path == before.path:
                return replace(before, snapshot=snapshot)
            if _is_whole(path):
                return cls(snapshot, path, Graph.open(path, snapshot.manifest.levels), count)
        raise InputError(
            f"{snapshot.path}: expected a graph, for approximate search, found none; "
            "make one with build_graph() or 'sfbow index --graph'"
        )

    def nearest(
        self, queries: Stored, k: int, *, kept: Mask | None = None, threads: int | None = None
    ) -> Nearest:
        """Find k rows for each query that are among the most similar; ``kept`` goes by number."""
        levels = self.snapshot.manifest.levels
        if kept is not None and _are_few(kept, k):
            return nearest(levels, self.snapshot.parts_by_number(kept), queries, k, threads=threads)
        alive = self.snapshot.alive if kept is None else kept
        found = self.graph.search(queries, k, kept=alive, threads=threads)
        if self.segments == len(self.snapshot.segments):
            return found
        parts = self.snapshot.parts_by_number(kept)
        others = nearest(levels, parts[self.segments :], queries, k, threads=threads)
        numbers = np.concatenate([found.numbers, others.numbers], axis=1)
        scores = np.concatenate([found.scores, others.scores], axis=1)
        order = np.lexsort((numbers, -scores), axis=1)[:, :k]
        return Nearest(np.take_along_axis(numbers, order, 1), np.take_along_axis(scores, order, 1))

    def recall(self, queries: Stored, k: int, *, threads: int | None = None) -> float:
        """Give the share of the k most similar rows that are found; any of equal ones will do."""
        true = nearest(
            self.snapshot.manifest.levels, self.snapshot.parts, queries, k, threads=threads
        ).scores
        found = self.nearest(queries, k, threads=threads).scores
        return share_found(true, found)


def _are_few(kept: Mask, k: int) -> bool:
    """Whether so few rows may be found that a graph of all would hardly meet them."""
    met = max(EFFORT, k) * np.count_nonzero(kept)
    return bool(met < _PLENTY * k * len(kept))
