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
from sfbow.index.levels import Levels, Stored
from sfbow.mapped import check_whole
from sfbow.safetensors import TensorSource
from sfbow.slices import row_slices
from sfbow.storage import Entry, Folder, damaged, map_file
from sfbow.text import Texts, gather
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
        tensors = {
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
        Stored(*(np.concatenate(arrays) for arrays in zip(*(p.stored for p in parts), strict=True))),
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
    stored: Stored
    order: NDArray[np.int32]
    texts: Column | None
    payload: Column | None
    unchecked_ids: Vocabulary

    def __len__(self) -> int:
        return self.count

    @cached_property
    def ids(self) -> Vocabulary:
        """The ids, whose table is only read when one is looked up."""
        if not self.unchecked_ids.is_sound(self.count):
            raise self.damaged(f"{self.count} ids and a table that finds them")
        return self.unchecked_ids

    def take(self, rows: Places) -> Rows:
        """Copy some rows."""
        check_whole(*self.stored, self.order)
        ids = self.ids.texts
        places = np.empty(self.count, np.int64)
        places[self.order] = np.arange(self.count)
        places = places[rows]
        try:
            return Rows(
                gather(ids.buffer, ids.offsets[rows], ids.offsets[rows + 1]),
                Stored(self.stored.rows[places], self.stored.masses[places]),
                self.texts and self.texts.take(rows),
                self.payload and self.payload.take(rows),
            )
        except ValueError as error:
            raise self.damaged("texts and payloads within it", str(error)) from None

    def id(self, row: int, kind: IdKind) -> Id:
        """Give the id of a row."""
        ids = self.unchecked_ids
        column = Column(ids.buffer, ids.offsets)
        try:
            value = column.value(row)
            bounds = np.array([0, len(value or b"")])
            return unpack_ids(Texts(np.frombuffer(value or b"", np.uint8), bounds), kind)[0]
        except ValueError as error:
            raise self.damaged(f"{kind} as ids", str(error)) from None

    def text(self, row: int) -> str | None:
        """Give the text of a row, if it has one."""
        try:
            value = self.texts and self.texts.value(row)
            return None if value is None else value.decode("utf-8", "surrogatepass")
        except ValueError as error:
            raise self.damaged("texts in UTF-8", str(error)) from None

    def payload_of(self, row: int) -> Payload | None:
        """Give the payload of a row, if it has one."""
        try:
            value = self.payload and self.payload.value(row)
            return None if value is None else dict(json.loads(value))
        except (ValueError, TypeError, RecursionError) as error:
            raise self.damaged("payloads in JSON", str(error)) from None

    def damaged(
        self, expected: str, found: str = "arrays that do not fit together"
    ) -> ModelFolderError:
        """Tell that the content does not fit together."""
        return damaged(self.folder, self.name, expected, found)


def open_segment(path: Path, name: str, entry: Entry, count: int, levels: Levels) -> Segment:
    """Map a segment; nothing but its header is read."""
    folder = Folder(path / name, {}, map_file(path, name, entry))
    rows = folder.tensor("levels", levels.dtype.str[1:], 2)
    masses = folder.tensor("masses", levels.mass_dtype.str[1:], 1)
    order = folder.tensor("order", "i4", 1)
    segment = Segment(
        path,
        name,
        count,
        Stored(rows, masses),
        order,
        _column(folder, "texts"),
        _column(folder, "payload"),
        Vocabulary(
            folder.tensor("ids.buffer", "u1", 1),
            folder.tensor("ids.offsets", "i4", 1),
            folder.tensor("ids.table", "i4", 1),
        ),
    )
    columns = [column for column in (segment.texts, segment.payload) if column is not None]
    offsets: list[NDArray[Any]] = [segment.unchecked_ids.offsets, *(c.offsets for c in columns)]
    lengths = {len(masses), len(rows), len(order), *(len(array) - 1 for array in offsets)}
    if lengths != {count} or rows.shape[1] != levels.width:
        raise segment.damaged(f"{count} rows of {levels.width} levels")
    return segment


def _column(folder: Folder, name: str) -> Column | None:
    if f"{name}.buffer" not in folder.tensors:
        return None
    return Column(
        folder.tensor(f"{name}.buffer", "u1", 1), folder.tensor(f"{name}.offsets", "i8", 1)
    )
