"""Approximate search: a graph of neighbours, by USearch, over the same levels.

USearch calls our own distance for the measure, and what it finds is scored exactly. It does not
keep a distance with its file: after opening, ours is put back and tried on two rows.
(A process that uses both must import FAISS before USearch.)
"""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import MissingExtraError, OptionError
from sfbow.index.comparison import scores
from sfbow.index.graph_file import Known, checked_graph, describe_graph, unusable
from sfbow.index.levels import Levels, Stored
from sfbow.index.part import Part
from sfbow.index.scan import Nearest, nearest
from sfbow.measures import Measure
from sfbow.options import check_count
from sfbow.parallel import thread_count
from sfbow.progress import shown
from sfbow.slices import row_slices

_LINKS = 32  # of a row to others, and on the lowest level twice as many
_CARE = 128  # candidates looked at when a row is linked
EFFORT = 256  # and for each query
_FIRST = 1024  # rows linked by one thread: several would not find each other there
_MORE = 16  # rows scored beyond k, as float32 may put nearly equal ones in any order
_CLOSE = 1e-5  # between a distance in float32 and the exact one

Keys = NDArray[np.int64]


class Graph:
    """Rows, each linked to some of those that are most similar to it."""

    def __init__(self, levels: Levels, index: Any) -> None:  # noqa: ANN401 - USearch's own
        self.levels = levels
        self._bytes = Levels("8-bit", levels.measure, index.ndim)
        self._index = index
        index.metric = _metric(levels.measure)

    @classmethod
    def build(
        cls,
        levels: Levels,
        parts: Sequence[Part],
        *,
        threads: int | None = None,
        show_progress_bar: bool = False,
    ) -> "Graph":
        """Link all rows that are kept; those of empty sets are left out.

        With several threads no two graphs of the same rows are quite the same.
        """
        graph = cls(levels, _new_index(levels))
        workers = thread_count(threads)
        blocks = [(part, rows) for part in parts for rows in row_slices(len(part), levels.width)]
        added = (graph._add(part, rows, workers) for part, rows in blocks)
        total = sum(map(len, parts))
        deque(shown(added, int, total=total, unit=" rows", show=show_progress_bar), maxlen=0)
        return graph

    def _add(self, part: Part, rows: slice, threads: int) -> int:
        part.check_whole()
        wanted = part.masses[rows] > 0
        if part.kept is not None:
            wanted &= part.kept[rows]
        places = rows.start + np.flatnonzero(wanted)
        if len(places):
            stored = self.levels.unpacked(Stored(part.rows[places], part.masses[places]))
            keys = part.numbers[places].astype(np.uint64)
            vectors = stored.rows.view(np.int8)
            alone = max(0, _FIRST - len(self))
            for some, workers in ((slice(alone), 1), (slice(alone, None), threads)):
                if len(keys[some]):
                    self._index.add(keys[some], vectors[some], threads=workers)
        return len(wanted)

    def __len__(self) -> int:
        return len(self._index)

    def save(self, path: Path) -> None:
        """Write a file, and beside it PATH.json, which tells what it is."""
        self._index.save(str(path))
        describe_graph(path, self.levels, self._known())

    @classmethod
    def open(cls, path: Path, levels: Levels, *, verify: bool = True) -> "Graph":
        """Map a graph of rows with these levels, having read all of it to ``verify`` it."""
        known = checked_graph(path, levels, verify=verify)
        index = _new_index(levels)
        try:
            index.view(str(path))
        except RuntimeError as error:
            raise unusable(path, "a graph that USearch can open", str(error)) from None
        graph = cls(levels, index)
        if len(graph) != known.rows or index.ndim != levels.unpacked_width:
            expected = f"{known.rows} rows of {levels.unpacked_width} levels"
            raise unusable(path, expected, f"{len(graph)} of {index.ndim}")
        found = index.pairwise_distance(*known.pair) if known.rows else 0.0
        if not abs(found - known.distance) < _CLOSE:
            raise unusable(path, f"two rows at a distance of {known.distance}", str(found))
        return graph

    def _known(self) -> Known:
        if not len(self):
            return Known(0, (0, 0), 0.0)
        a, b = int(self._index.keys[0]), int(self._index.keys[len(self) - 1])
        rows = self._rows(np.array([a, b]))
        # Graphs for Jaccard go by 1 - Dice.
        measure: Measure = "dice" if self.levels.measure == "jaccard" else self.levels.measure
        score = scores(Levels("8-bit", measure, self._index.ndim), rows, rows)[0, 1]
        return Known(len(self), (a, b), 1 - float(score))

    def _rows(self, keys: NDArray[Any]) -> Stored:
        rows = np.stack(self._index.get(keys)).view(np.uint8)
        levels = rows.astype(np.int64)
        return Stored(rows, (levels**2 if self.levels.has_roots else levels).sum(axis=1))

    def search(
        self,
        queries: Stored,
        k: int,
        *,
        effort: int = EFFORT,
        kept: NDArray[np.bool_] | None = None,
        threads: int | None = None,
    ) -> Nearest:
        """Find k rows for each query that are among the most similar; their scores are exact.

        The larger the effort, the number of rows that the search keeps in mind, the fewer are
        missed. ``kept[n]`` says whether row number n may be found.
        """
        check_count("k", k, least=1)
        check_count("effort", effort, least=1)
        shape = len(queries.rows), k
        found = Nearest(np.full(shape, -1, np.int64), np.zeros(shape, np.float32))
        if 0 in (len(self), len(queries.rows)):
            return found
        rows = self.levels.unpacked(queries).rows
        self._index.expansion_search = max(effort, k)
        matches = self._index.search(
            rows.view(np.int8), min(max(effort, k), len(self)), threads=thread_count(threads)
        )
        for query, row in enumerate(rows):
            keys = (matches if len(rows) == 1 else matches[query]).keys.astype(np.int64)
            keys = keys if kept is None else keys[kept[keys]]
            asked = Stored(row[None], queries.masses[[query]])
            numbers, exact = self._best(asked, keys[: k + _MORE], k)
            found.numbers[query, : len(numbers)] = numbers
            found.scores[query, : len(numbers)] = exact
        return found

    def recall(
        self,
        parts: Sequence[Part],
        queries: Stored,
        k: int = 10,
        *,
        effort: int = EFFORT,
        kept: NDArray[np.bool_] | None = None,
        threads: int | None = None,
    ) -> float:
        """Give the share of the k most similar rows that the graph finds, by exact search.

        Of rows that are equally similar any will do.
        """
        true = nearest(self.levels, parts, queries, k, threads=threads).scores
        found = self.search(queries, k, effort=effort, kept=kept, threads=threads).scores
        return share_found(true, found)

    def _best(self, query: Stored, keys: Keys, k: int) -> tuple[Keys, NDArray[np.float64]]:
        """Score rows exactly; give the k best of those above 0, of equal ones the first."""
        if not len(keys):
            return keys, np.empty(0)
        exact = scores(self._bytes, query, self._rows(keys))[0]
        order = np.lexsort((keys, -exact))[: min(k, np.count_nonzero(exact))]
        return keys[order], exact[order]


def share_found(true: NDArray[np.float32], found: NDArray[np.float32]) -> float:
    """Give the share of the best scores that what was found has; 1 where there are none."""
    worst = np.min(true, axis=1, where=true > 0, initial=1, keepdims=True)
    hits = np.count_nonzero(true)
    return float(np.count_nonzero(found >= worst) / hits) if hits else 1.0


def _new_index(levels: Levels) -> Any:  # noqa: ANN401 - USearch's own
    if levels.storage == "float32":
        raise OptionError("storage", expected="8-bit or 4-bit for a graph", found="float32")
    try:
        from usearch.index import Index
    except ImportError:
        raise MissingExtraError("approximate search", "approximate") from None
    return Index(
        ndim=levels.unpacked_width,
        metric=_metric(levels.measure),
        dtype="i8",
        connectivity=_LINKS,
        expansion_add=_CARE,
    )


def _metric(measure: Measure) -> Any:  # noqa: ANN401 - USearch's own
    from usearch.compiled import MetricKind, MetricSignature
    from usearch.index import CompiledMetric

    distances: dict[Measure, Any] = {
        "jaccard": kernels.bray_curtis,
        "dice": kernels.bray_curtis,
        "otsuka": kernels.otsuka_distance,
        "hellinger": kernels.cosine_distance,
    }
    # The kind is what USearch falls back to; one of its own, as with none it crashes.
    return CompiledMetric(
        pointer=distances[measure].address,
        kind=MetricKind.Cos,
        signature=MetricSignature.ArrayArraySize,
    )
