"""`FuzzyIndex`: many fuzzy sets in a folder, to be searched by their similarity."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError, OptionError, SfbowWarning
from sfbow.index import origin
from sfbow.index.adding import is_vectors, no_model, prepared, warn_of_clipped
from sfbow.index.approximate import Approximate, build_graph, remove_outdated
from sfbow.index.hits import Hits
from sfbow.index.ids import Id, fits, kind_of, listed, pack_ids
from sfbow.index.levels import Levels, Storage
from sfbow.index.manifest import Manifest, read_manifest, write_manifest
from sfbow.index.repairing import damaged_files, give_up_damaged
from sfbow.index.scan import above, nearest
from sfbow.index.snapshot import LiveSegment, Snapshot, open_snapshot
from sfbow.index.writing import Writer, closing_on_error
from sfbow.measures import Measure
from sfbow.model import SFBoW
from sfbow.options import check_count, check_flag, check_positive
from sfbow.text import Texts

_K = 10


class FuzzyIndex:
    """Rows with an id each, in a folder, found by the similarity of their fuzzy sets.

    Use `create` or `open`. Ids are strings or whole numbers, all of one kind. A reader sees the
    index as it was when it was opened or refreshed, whatever is written meanwhile; there is one
    writer at a time, and each of its changes is there whole once the call returns, or not at all.
    """

    def __init__(self, snapshot: Snapshot, writer: Writer | None, model: SFBoW | None) -> None:
        self._snapshot = snapshot
        self._writer = writer
        self._model = model
        self._opened_graph: Approximate | None = None

    @classmethod
    def create(
        cls,
        folder: str | Path,
        model: SFBoW | str | Path | None = None,
        *,
        storage: Storage = "8-bit",
        measure: Measure | None = None,
        size: int | None = None,
    ) -> "FuzzyIndex":
        """Make an empty index, open to write.

        Parameters
        ----------
        folder
            Where it shall be; made if it is not there.
        model
            What turns texts into sets: a model, its folder, or its name on the hub. Without one,
            the index takes vectors only.
        storage
            "8-bit", "4-bit" or "float32".
        measure
            The similarity that is searched by: the model's own, or else "otsuka".
        size
            The length of the vectors, where there is no model.
        """
        path, opened = Path(folder), origin.opened(model)
        if (opened is None) == (size is None):
            found = "neither" if opened is None else "both"
            raise InputError(
                f"index: expected a model or the size of vectors, found {found}; "
                "give one of the two"
            )
        manifest = _empty(opened, storage, measure, size)
        path.mkdir(parents=True, exist_ok=True)
        with closing_on_error(Writer(path)) as writer:
            if (path / "config.json").exists():
                raise InputError(f"{path}: expected a new folder, found one in use; open it")
            if opened is not None:
                opened, entry = origin.remember(opened, path)
                manifest = replace(manifest, model=entry)
            write_manifest(path, manifest)
            return cls(open_snapshot(path), writer, opened)

    @classmethod
    def open(
        cls,
        folder: str | Path,
        *,
        model: SFBoW | str | Path | None = None,
        writable: bool = False,
    ) -> "FuzzyIndex":
        """Open an index; its data is mapped, not read.

        A damaged segment is told by a warning, and the rest can be searched.

        Parameters
        ----------
        folder
            Where it is.
        model
            Its model, if that is no longer where it was when the index was made.
        writable
            Whether to change it, which one at a time can do; else it is only read.
        """
        path, opened = Path(folder), origin.opened(model)
        read_manifest(path)  # as only an index is to be locked
        with closing_on_error(Writer(path) if writable else None) as writer:
            snapshot = open_snapshot(path)
            if opened is not None:
                origin.check(opened, snapshot.manifest.model, path)
            if writer is not None:
                writer.clean()
            for fault in snapshot.faults:
                warnings.warn(f"left out: {fault}", SfbowWarning, stacklevel=2)
            return cls(snapshot, writer, opened)

    def __enter__(self) -> "FuzzyIndex":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let others write; what was opened to read needs no closing."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def refresh(self) -> bool:
        """See what was written since; tell whether anything was."""
        before = self._snapshot
        self._snapshot = open_snapshot(before.path, before)
        return self._snapshot.manifest != before.manifest

    def __repr__(self) -> str:
        rows, what = len(self), f"{self.size:,} fuzzy sets, {self.measure}, {self.storage}"
        return f"<FuzzyIndex: {rows:,} rows, {what}>"

    @property
    def folder(self) -> Path:
        """Where it is."""
        return self._snapshot.path

    @property
    def model(self) -> SFBoW | None:
        """What turns texts into sets, found where it was; None if there are vectors only."""
        entry = self._snapshot.manifest.model
        if self._model is None and entry is not None:
            self._model = origin.find_again(entry, self.folder)
        return self._model

    @property
    def size(self) -> int:
        """The length of a vector."""
        return self._snapshot.manifest.size

    @property
    def measure(self) -> Measure:
        """The name of the similarity."""
        return self._snapshot.manifest.measure

    @property
    def storage(self) -> Storage:
        """How vectors are stored."""
        return self._snapshot.manifest.storage

    @property
    def inserted(self) -> int:
        """How many rows were ever added."""
        return self._snapshot.manifest.inserted

    def __len__(self) -> int:
        return len(self._snapshot)

    def __iter__(self) -> Iterator[Id]:
        return self._snapshot.ids()

    def __contains__(self, one: object) -> bool:
        kind = self._snapshot.manifest.ids
        if not isinstance(one, str | int | np.integer) or isinstance(one, bool):
            return False
        ids: list[Id] = [one if isinstance(one, str) else int(one)]
        if kind_of(ids) != kind or (kind == "integers" and not fits(ids[0])):
            return False
        return any(len(rows) for rows in self._snapshot.find(pack_ids(ids, kind)))

    def add(
        self,
        ids: Iterable[Id],
        texts_or_vectors: Any,  # noqa: ANN401 - whatever holds texts, or a matrix
        *,
        payload: Iterable[Mapping[str, Any] | None] | None = None,
        threads: int | None = None,
    ) -> None:
        """Add rows, or replace those whose ids are there already; of equal ids the last counts.

        What is replaced counts as inserted anew; a text that is there with the same id and payload
        stays as it is. All of it is there at once, and on the disk, when this returns.

        Parameters
        ----------
        ids
            A string each, or a whole number of 64 bits each.
        texts_or_vectors
            A text for each id, as `SFBoW.encode` takes them; or a matrix of sets, a row each.
        payload
            A dictionary of what JSON has for each id, or None; it comes back with the hits.
        threads
            How many threads to use: one for each core if not given.
        """
        with self._writing() as writer:
            before = self._snapshot
            manifest, new, replaced = prepared(
                before, ids, texts_or_vectors, payload, lambda: self.model, threads
            )
            if len(new):
                self._change(writer, manifest, removed=replaced, new=new)
                warn_of_clipped(new)

    def remove(self, ids: Iterable[Id]) -> None:
        """Remove rows, all of which must be there."""
        with self._writing() as writer:
            before = self._snapshot
            listed_ids = listed(ids)
            packed = pack_ids(listed_ids, before.manifest.ids)
            hits = list(before.find_places(packed))
            found = np.zeros(len(packed), np.bool_)
            for places, _ in hits:
                found[places] = True
            if not found.all():
                missing = listed_ids[int(found.argmin())]
                raise InputError(
                    f"ids: expected ids of the index, found {missing!r:.100}"
                    f"{_and_more(len(found) - int(found.sum()) - 1)}; nothing was removed"
                )
            if len(packed):
                self._change(writer, before.manifest, removed=[rows for _, rows in hits])

    def vacuum(self) -> None:
        """Write anew what is not in full segments, without what was removed."""
        with self._writing() as writer:
            full = takewhile(LiveSegment.is_full, self._snapshot.segments)
            anew = len(self._snapshot.segments) - len(list(full))
            if anew > 1 or (anew and self._snapshot.segments[-1].alive is not None):
                self._change(writer, self._snapshot.manifest, anew=anew)

    @contextmanager
    def _writing(self) -> Iterator[Writer]:
        if self._writer is None:
            raise InputError(
                f"{self.folder}: opened to read only; open it with writable=True to change it"
            )
        with self._writer.turn():
            yield self._writer

    def _change(self, writer: Writer, manifest: Manifest, **change: Any) -> None:  # noqa: ANN401
        try:
            self._snapshot = writer.write(self._snapshot, manifest, **change)
            remove_outdated(self._snapshot)
        except BaseException:
            self.refresh()  # as the disk may have the change or not, if its last step failed
            raise

    def search(
        self,
        queries: Any,  # noqa: ANN401 - whatever holds texts, or a matrix
        *,
        k: int | None = None,
        threshold: float | None = None,
        ids: Iterable[Id] | None = None,
        approximate: bool = False,
        threads: int | None = None,
    ) -> Hits:
        """Find the most similar rows, or all that are similar enough.

        What shares nothing with a query is no hit.

        Parameters
        ----------
        queries
            A text or several, as `SFBoW.encode` takes them; or one or several sets.
        k
            How many rows to find for each query: 10 if neither this nor a threshold is given.
        threshold
            The least similarity, above 0 and up to 1, instead of k.
        ids
            Search among these only; those that are not there do not matter.
        approximate
            Whether to search by the graph, see `build_graph`: faster among millions, and some of
            the k most similar rows may be missed. Among few ids the search is exact.
        threads
            How many threads to use: one for each core if not given.
        """
        if threshold is not None:
            if k is not None:
                raise OptionError("threshold", expected="none, or no k", found=threshold)
            check_positive("threshold", threshold, most=1)
            if approximate:
                raise OptionError(
                    "threshold", expected="none for approximate search", found=threshold
                )
        check_flag("approximate", approximate)
        k = _K if k is None else k
        check_count("k", k, least=1)
        snapshot = self._snapshot
        most = max(1, min(k, len(snapshot)))
        levels = snapshot.manifest.levels
        stored = levels.store(self._encoded(queries, threads))
        kept = None if ids is None else snapshot.kept(self._known(ids))
        if approximate:
            found = self._approximate(snapshot).nearest(stored, most, kept=kept, threads=threads)
        else:
            parts = snapshot.parts_by_number(kept)
            if threshold is not None:
                return Hits(snapshot, *above(levels, parts, stored, threshold, threads=threads))
            found = nearest(levels, parts, stored, most, threads=threads)
        is_hit = found.numbers >= 0
        bounds = np.concatenate([[0], np.cumsum(is_hit.sum(axis=1))])
        return Hits(snapshot, bounds, found.numbers[is_hit], found.scores[is_hit], width=k)

    def _encoded(self, queries: Any, threads: int | None) -> NDArray[Any]:  # noqa: ANN401
        if not is_vectors(queries):
            if self.model is None:
                raise no_model(self.folder)
            queries = self.model.encode(queries, threads=threads)
        return np.atleast_2d(queries)

    def _known(self, ids: Iterable[Id]) -> Texts:
        return pack_ids(listed(ids), self._snapshot.manifest.ids)

    def build_graph(self, *, threads: int | None = None, show_progress_bar: bool = False) -> None:
        """Make the graph of approximate search, of all rows that are there now.

        Rows that are added later are searched exactly, until there is a new graph; once its rows
        are merged with others (see `vacuum`) the graph is gone.
        """
        with self._writing():
            if len(self._snapshot):
                build_graph(self._snapshot, threads=threads, show_progress_bar=show_progress_bar)
                self._opened_graph = None

    def recall(self, *, k: int = 10, samples: int = 1000, threads: int | None = None) -> float:
        """Tell which share of the k most similar rows approximate search finds, for some rows."""
        check_count("k", k, least=1)
        check_count("samples", samples, least=1)
        snapshot = self._snapshot
        return self._approximate(snapshot).recall(snapshot.sample(samples), k, threads=threads)

    def _approximate(self, snapshot: Snapshot) -> Approximate:
        if self._opened_graph is None or self._opened_graph.snapshot is not snapshot:
            self._opened_graph = Approximate.open(snapshot, self._opened_graph)
        return self._opened_graph

    def verify(self) -> list[str]:
        """Compare each file with its SHA-256, and tell what is damaged, a line each."""
        return [str(fault) for fault in damaged_files(self.folder).values()]

    @classmethod
    def repair(cls, folder: str | Path) -> list[str]:
        """Give up the files of an index that are damaged; tell which, a line each.

        Rows of other files stay. If it is the list of removed rows that is damaged, they are back.
        """
        path = Path(folder)
        read_manifest(path)
        with closing(Writer(path)) as writer:
            return [str(fault) for fault in give_up_damaged(path, writer).values()]


def _empty(
    model: SFBoW | None, storage: Storage, measure: Measure | None, size: int | None
) -> Manifest:
    if model is not None:
        levels = Levels.for_model(model, storage, measure=measure)
        return Manifest(storage, levels.measure, levels.size, levels.scale)
    assert size is not None  # noqa: S101 - for the type checker
    levels = Levels(storage, "otsuka" if measure is None else measure, size)
    return Manifest(storage, levels.measure, levels.size)


def _and_more(count: int) -> str:
    return f" and {count:,} more" if count else ""
