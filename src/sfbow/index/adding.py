"""New rows, from what a user gives: checked first, then made a stretch at a time."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import and_, eq
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError, SfbowWarning
from sfbow.index.columns import nothing, pack_payload, values
from sfbow.index.ids import Id, kind_of, listed, pack_ids
from sfbow.index.levels import Levels, Stored
from sfbow.index.manifest import Manifest
from sfbow.index.segments import Places, Rows
from sfbow.index.snapshot import Snapshot
from sfbow.inputs import counted
from sfbow.model import SFBoW
from sfbow.parallel import map_ordered, thread_count
from sfbow.slices import row_slices
from sfbow.text import Texts
from sfbow.vocabulary import VocabularyBuilder

_TOLERANCE = 1.0001  # as a step between levels is rounded to float32


def is_vectors(given: object) -> bool:
    """Whether something is an array of numbers, not texts."""
    kind = getattr(getattr(given, "dtype", None), "kind", None)
    return kind is not None and kind not in "UTO"


def listed_texts(texts: Any) -> Sequence[str]:  # noqa: ANN401 - whatever holds texts
    """Give texts as a list; what is null in Arrow is empty."""
    if isinstance(texts, list | tuple):
        return texts
    known = counted(texts)
    if hasattr(known, "to_pylist"):
        return ["" if text is None else text for text in known.to_pylist()]
    return list(known.tolist() if isinstance(known, np.ndarray) else known)


@dataclass(frozen=True)
class NewRows:
    """Rows that are not stored yet: texts with the model that encodes them, or vectors."""

    ids: Texts
    given: Sequence[str] | NDArray[Any]
    payload: Texts | None
    levels: Levels
    model: SFBoW | None
    threads: int | None

    def __len__(self) -> int:
        return len(self.ids)

    def only(self, rows: Places) -> "NewRows":
        """Give some of the rows."""
        given = self.given
        return replace(
            self,
            ids=self.ids.take(rows),
            given=given[rows] if isinstance(given, np.ndarray) else [given[row] for row in rows],
            payload=None if self.payload is None else self.payload.take(rows),
        )

    def columns(self) -> tuple[Texts, Texts]:
        """Give the texts and the payloads."""
        count = len(self)
        texts = nothing(count) if isinstance(self.given, np.ndarray) else Texts.of(self.given)
        return texts, nothing(count) if self.payload is None else self.payload

    def take(self, start: int, stop: int) -> Rows:
        """Make rows ``start`` to ``stop``."""
        rows = slice(start, stop)
        return Rows(
            self.ids.stretch(rows),
            self._stored(rows),
            None if isinstance(self.given, np.ndarray) else Texts.of(self.given[rows], start),
            None if self.payload is None else self.payload.stretch(rows),
        )

    def _stored(self, rows: slice) -> Stored:
        count, levels = rows.stop - rows.start, self.levels
        result = levels.room(count)

        def store(part: slice) -> None:
            given = self.given[rows.start + part.start : rows.start + part.stop]
            if not isinstance(given, np.ndarray):
                assert self.model is not None  # noqa: S101 - for the type checker
                given = self.model.encode(given, threads=1)
            result.rows[part], result.masses[part] = levels.store(given)

        parts = row_slices(count, levels.size)
        for _ in map_ordered(store, parts, thread_count(self.threads)):
            pass
        return result


def prepared(
    snapshot: Snapshot,
    ids: Iterable[Id],
    texts_or_vectors: Any,  # noqa: ANN401 - whatever holds texts, or a matrix
    payload: Any,  # noqa: ANN401 - checked here
    find_model: Callable[[], SFBoW | None],
    threads: int | None,
) -> tuple[Manifest, NewRows, list[Places]]:
    """Check what is given; leave out what is there already, and all but the last of equal ids.

    Gives the manifest, what is left, and the rows of each segment that it replaces.
    """
    manifest, known = snapshot.manifest, listed(ids)
    vectors = is_vectors(texts_or_vectors)
    given: Any = np.asarray(texts_or_vectors) if vectors else listed_texts(texts_or_vectors)
    if not vectors and manifest.model is None:
        raise no_model(snapshot.path)
    if len(given) != len(known):
        raise InputError(
            f"ids: expected as many as texts or vectors, {len(given)}, found {len(known)}; "
            "give each row one"
        )
    kind = manifest.ids or (kind_of(known) if known else None)
    scale = manifest.scale or (_scale(given, manifest) if vectors else None)
    manifest = replace(manifest, ids=kind, scale=scale)
    packed = None if payload is None else pack_payload(payload, len(known))
    model = None if vectors else find_model()
    new = NewRows(pack_ids(known, kind), given, packed, manifest.levels, model, threads)
    last = _last_of_each(new.ids)
    new = new if last is None else new.only(last)
    found = list(snapshot.find_places(new.ids))
    if not vectors and any(len(rows) for _, rows in found):
        new = _changed(new, snapshot, found)
        found = list(snapshot.find_places(new.ids))
    manifest = replace(manifest, inserted=manifest.inserted + len(new))
    return manifest, new, [rows for _, rows in found]


def no_model(path: Path) -> InputError:
    """Tell that texts are of no use to an index of vectors."""
    return InputError(
        f"{path}: expected vectors, as the index has no model, found texts; encode them"
    )


def _scale(vectors: NDArray[Any], manifest: Manifest) -> float | None:
    """Choose the scale by the first vectors that are not all zero."""
    if vectors.ndim != 2 or not vectors.any():
        return None
    return Levels.for_vectors(vectors, manifest.measure, manifest.storage).scale


def warn_of_clipped(new: NewRows) -> None:
    """Tell of vectors beyond the highest level; with 4 bits, that is as it should be."""
    given, largest = new.given, new.levels.largest
    if not isinstance(given, np.ndarray) or new.levels.storage != "8-bit":
        return
    clipped = sum(
        int((given[rows] > largest * _TOLERANCE).any(axis=1).sum())
        for rows in row_slices(*given.shape)
    )
    if clipped:
        warnings.warn(
            f"{clipped:,} of {len(given):,} rows have memberships above {largest:.4g}, "
            "the highest level: they are stored as that",
            SfbowWarning,
            stacklevel=3,
        )


def _last_of_each(ids: Texts) -> Places | None:
    """Give the rows of the last of equal ids, or None if there are no equal ones."""
    builder = VocabularyBuilder()
    if builder.add(ids).all():
        return None
    first = builder.finish().find_exact(ids)
    last = np.empty(first.max() + 1, np.int64)
    last[first] = np.arange(len(ids))  # of several the last one stays
    return np.sort(last)


def _changed(new: NewRows, snapshot: Snapshot, found: Sequence[tuple[Places, Places]]) -> NewRows:
    """Leave out texts that are there already, with the same id and payload."""
    is_same = np.zeros(len(new), np.bool_)
    for live, (places, rows) in zip(snapshot.segments, found, strict=True):
        if len(places):
            pairs = zip(live.segment.columns(rows), new.only(places).columns(), strict=True)
            texts, payload = (list(map(eq, values(old), values(now))) for old, now in pairs)
            is_same[places] = list(map(and_, texts, payload))
    return new.only(np.flatnonzero(~is_same)) if is_same.any() else new
