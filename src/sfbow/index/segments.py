"""A segment: rows in one immutable file, mapped; and rows on their way into one.

Ids, texts and payloads are in the order of insertion. Levels and masses are in that of the masses,
as searching likes it: those at place i are of row ``order[i]``.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError, ModelFolderError
from sfbow.index.columns import Column, Payload, join, nothing
from sfbow.index.ids import Id, IdKind, unpack_ids
from sfbow.index.levels import Stored
from sfbow.index.manifest import Manifest
from sfbow.mapped import check_whole
from sfbow.safetensors import TensorSource
from sfbow.slices import row_slices
from sfbow.storage import Folder, damaged, open_file
from sfbow.text import Texts
from sfbow.vocabulary import Vocabulary, VocabularyBuilder

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Rows:
    """Rows in memory: their ids, what is searched, and what comes back with a hit."""

    ids: Texts
    stored: Stored
    texts: Texts | None
    payload: Texts | None

    def __len__(self) -> int:
        return len(self.ids)

    def tensors(self) -> dict[str, TensorSource]:
        """Name the tensors of a segment."""
        builder = VocabularyBuilder()
        if not builder.add(self.ids).all():  # which no change of ours leads to
            raise InputError("ids: expected distinct ones, found some twice; build the index again")
        ids = builder.finish()
        order = np.argsort(self.stored.masses, kind="stable")
        tensors: dict[str, NDArray[Any]] = {
            "ids.buffer": ids.buffer,
            "ids.offsets": ids.offsets,
            "ids.table": ids.table,
            "masses": self.stored.masses[order],
            "order": order.astype(np.int32),
        }
        for name, column in (("texts", self.texts), ("payload", self.payload)):
            if column is not None:
                tensors |= {f"{name}.buffer": column.buffer, f"{name}.offsets": column.offsets}
        sources = {name: TensorSource.whole(array) for name, array in tensors.items()}
        levels = self.stored.rows
        blocks = (levels[order[rows]] for rows in row_slices(*levels.shape))
        return {**sources, "levels": TensorSource(levels.dtype, levels.shape[1:], blocks)}


def concatenate(parts: Sequence[Rows]) -> Rows:
    """Put rows one behind the other."""
    if len(parts) == 1:
        return parts[0]
    return Rows(
        join([part.ids for part in parts]),
        Stored(
            *(np.concatenate(arrays) for arrays in zip(*(p.stored for p in parts), strict=True))
        ),
        _join_columns([part.texts for part in parts], parts),
        _join_columns([part.payload for part in parts], parts),
    )


def _join_columns(columns: Sequence[Texts | None], parts: Sequence[Rows]) -> Texts | None:
    if all(column is None for column in columns):
        return None
    return join(
        [
            nothing(len(part)) if column is None else column
            for column, part in zip(columns, parts, strict=True)
        ]
    )


@dataclass(frozen=True)
class Segment:
    """A segment that is mapped; what is looked up in it is checked before."""

    folder: Path
    name: str
    count: int
    id_kind: IdKind
    stored: Stored
    unchecked_order: NDArray[np.int32]
    texts: Column | None
    payload: Column | None
    unchecked_ids: Vocabulary

    def __len__(self) -> int:
        return self.count

    @cached_property
    def ids(self) -> Vocabulary:
        """The ids, whose table is only read when one is looked up."""
        ids = self.unchecked_ids
        check_whole(ids.buffer, ids.offsets, ids.table)
        if not ids.is_sound(self.count):
            raise self.damaged(f"{self.count} ids and a table that finds them")
        return ids

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """The rows that levels and masses belong to."""
        check_whole(self.unchecked_order)
        order = self.unchecked_order
        if self.count and not 0 <= order.min() <= order.max() < self.count:
            raise self.damaged("the order of its rows")
        return order

    def take(self, rows: Places) -> Rows:
        """Copy some rows."""
        return Rows(
            self.ids.texts.take(rows),
            self.stored_rows(rows),
            None if self.texts is None else self._taken(self.texts, rows),
            None if self.payload is None else self._taken(self.payload, rows),
        )

    def stored_rows(self, rows: Places) -> Stored:
        """Copy the levels and masses of some rows."""
        check_whole(*self.stored, self.order)
        places = np.zeros(self.count, np.int64)
        places[self.order] = np.arange(self.count)
        places = places[rows]
        return Stored(self.stored.rows[places], self.stored.masses[places])

    def columns(self, rows: Places) -> tuple[Texts, Texts]:
        """Copy the texts and the payloads of some rows."""
        columns = self.texts, self.payload
        texts, payload = (
            nothing(len(rows)) if column is None else self._taken(column, rows)
            for column in columns
        )
        return texts, payload

    def _taken(self, column: Column, rows: Places) -> Texts:
        try:
            return column.take(rows)
        except ValueError as error:
            raise self.damaged("texts and payloads within it", str(error)) from None

    def id(self, row: int) -> Id:
        """Give the id of a row; the table of ids is not read."""
        check_whole(self.unchecked_ids.offsets)
        offsets = self.unchecked_ids.offsets[row : row + 2].astype(np.int64)
        if not 0 <= offsets[0] <= offsets[1] <= len(self.unchecked_ids.buffer):
            raise self.damaged(f"{self.count} ids")
        return self._unpacked(Texts(self.unchecked_ids.buffer, offsets).stretch(slice(0, 1)))[0]

    def some_ids(self, rows: slice) -> list[Id]:
        """Give the ids of rows that are next to each other."""
        return self._unpacked(self.ids.texts.stretch(rows))

    def _unpacked(self, ids: Texts) -> list[Id]:
        check_whole(ids.buffer)
        try:
            return unpack_ids(ids, self.id_kind)
        except ValueError as error:
            raise self.damaged(f"{self.id_kind} as ids", str(error)) from None

    def text(self, row: int) -> str | None:
        """Give the text of a row, if it has one."""
        try:
            value = None if self.texts is None else self.texts.value(row)
            return None if value is None else value.decode("utf-8", "surrogatepass")
        except ValueError as error:
            raise self.damaged("texts in UTF-8", str(error)) from None

    def payload_of(self, row: int) -> Payload | None:
        """Give the payload of a row, if it has one."""
        try:
            value = None if self.payload is None else self.payload.value(row)
            return None if value is None else dict(json.loads(value))
        except (ValueError, TypeError, RecursionError) as error:
            raise self.damaged("payloads in JSON", str(error)) from None

    def damaged(
        self, expected: str, found: str = "arrays that do not fit together"
    ) -> ModelFolderError:
        """Tell that the content does not fit together."""
        return damaged(self.folder, self.name, expected, found)


def open_segment(path: Path, manifest: Manifest, name: str, count: int) -> Segment:
    """Map a segment; nothing but its header is read."""
    folder, levels = open_file(path, name, manifest.files[name]), manifest.levels
    assert manifest.ids is not None  # noqa: S101 - for the type checker
    segment = Segment(
        folder=path,
        name=name,
        count=count,
        id_kind=manifest.ids,
        stored=Stored(
            folder.tensor("levels", levels.dtype.str[1:], 2),
            folder.tensor("masses", levels.mass_dtype.str[1:], 1),
        ),
        unchecked_order=folder.tensor("order", "i4", 1),
        texts=_column(folder, "texts"),
        payload=_column(folder, "payload"),
        unchecked_ids=Vocabulary(
            folder.tensor("ids.buffer", "u1", 1),
            folder.tensor("ids.offsets", "i4", 1),
            folder.tensor("ids.table", "i4", 1),
        ),
    )
    columns = [column for column in (segment.texts, segment.payload) if column is not None]
    offsets: list[NDArray[Any]] = [segment.unchecked_ids.offsets, *(c.offsets for c in columns)]
    lengths = {
        len(segment.unchecked_order),
        *map(len, segment.stored),
        *(len(a) - 1 for a in offsets),
    }
    if lengths != {count} or segment.stored.rows.shape[1] != levels.width:
        raise segment.damaged(f"{count} rows of {levels.width} levels")
    return segment


def _column(folder: Folder, name: str) -> Column | None:
    if f"{name}.buffer" not in folder.tensors:
        return None
    return Column(
        folder.tensor(f"{name}.buffer", "u1", 1), folder.tensor(f"{name}.offsets", "i8", 1)
    )
