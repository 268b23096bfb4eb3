"""Texts out of files, one at a time: lines, or a column of CSV, TSV, JSONL or Parquet."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from sfbow.errors import InputError, MissingExtraError

Errors = Literal["strict", "replace"]
TableFormat = Literal["lines", "csv", "tsv", "jsonl", "parquet"]

_ENDINGS: dict[str, TableFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LONGEST_FIELD = (1 << 31) - 1
_MOST_NAMES = 12
_BATCH = 8192


def table_format(path: str | Path) -> TableFormat:
    """Tell a file's format from the ending of its name; what is unknown has lines."""
    return _ENDINGS.get(Path(path).suffix.lower(), "lines")


@dataclass(frozen=True)
class TextFile:
    """An open file; ``name`` is for messages. What is no UTF-8 is an error or replaced."""

    name: str
    file: BinaryIO
    errors: Errors = "strict"

    def texts(self, kind: TableFormat, column: str) -> Iterator[str]:
        """Yield the texts; lines have no columns."""
        if kind == "csv":
            return self._separated(column, ",")
        if kind == "tsv":
            return self._separated(column, "\t")
        if kind == "jsonl":
            return (row[0] for row in self.records((column,)))
        if kind == "parquet":
            return self._parquet(column)
        return self.lines()

    def lines(self) -> Iterator[str]:
        """Yield the lines without their ends; an empty line is a text too."""
        for line in self._decoded():
            yield line.removesuffix("\n").removesuffix("\r")

    def pairs(self) -> Iterator[list[str]]:
        """Yield lines of two texts with a tab between."""
        for number, line in enumerate(self.lines(), 1):
            pair = line.split("\t")
            if len(pair) != 2:
                raise self._fault(
                    number,
                    "two texts with a tab between",
                    "no tab" if len(pair) == 1 else f"{len(pair) - 1} tabs",
                )
            yield pair

    def records(self, keys: tuple[str, ...]) -> Iterator[list[str]]:
        """Yield the texts under these keys of the object in each line; blank lines do not count."""
        for number, line in enumerate(self._decoded(), 1):
            if line.isspace():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                found = f"a fault in column {error.colno} ({error.msg})"
                raise self._fault(number, "a JSON object", found) from None
            except (ValueError, RecursionError) as error:
                raise self._fault(number, "a JSON object", str(error)) from None
            if not isinstance(record, dict):
                raise self._fault(number, "a JSON object", _json_kind(record))
            for key in keys:
                if not isinstance(record.get(key), str):
                    found = _json_kind(record[key]) if key in record else f"{_names(record)} only"
                    raise self._fault(number, f"a text under {key!r}", found)
            yield [record[key] for key in keys]

    def _decoded(self) -> Iterator[str]:
        for number, data in enumerate(self.file, 1):
            if number == 1:
                data = data.removeprefix(_BYTE_ORDER_MARK)
                if not data:
                    continue
            try:
                line = data.decode("utf-8", self.errors)
            except UnicodeDecodeError as error:
                raise self._fault(
                    number,
                    "UTF-8",
                    f"the byte 0x{data[error.start]:02x} at its byte {error.start + 1}",
                    cure="convert the file, or replace such bytes (--errors replace)",
                ) from None
            yield line

    def _separated(self, column: str, delimiter: str) -> Iterator[str]:
        csv.field_size_limit(_LONGEST_FIELD)
        reader = csv.reader(self._decoded(), delimiter=delimiter, strict=True)
        try:
            header = next(reader, None)
            if header is None:
                return
            place = self._place(header, column)
            for row in reader:
                if row and len(row) != len(header):
                    raise self._fault(
                        reader.line_num,
                        f"{len(header)} fields, as in the header",
                        str(len(row)),
                        cure="quote fields that hold the separator",
                    )
                if row:
                    yield row[place]
        except csv.Error as error:
            raise self._fault(reader.line_num, "CSV with a header", str(error)) from None

    def _place(self, names: list[str], column: str) -> int:
        if names.count(column) == 1:
            return names.index(column)
        raise InputError(
            f"{self.name}: expected one column {column!r}, "
            f"found {_names(names)}; choose one of its columns (--column)"
        )

    def _parquet(self, column: str) -> Iterator[str]:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError:
            raise MissingExtraError("Parquet", "arrow") from None
        if not self.file.seekable():
            raise InputError(f"{self.name}: expected a file for Parquet, found a stream; save it")
        if self.file.seek(0, 2) == 0:
            return
        self.file.seek(0)
        try:
            table = parquet.ParquetFile(self.file)
            self._place(table.schema_arrow.names, column)
            for batch in table.iter_batches(_BATCH, columns=[column]):
                yield from self._strings(pyarrow, batch.column(0))
        except (pyarrow.ArrowException, OSError) as error:
            reason = str(error).strip().split("\n")[0]
            raise InputError(
                f"{self.name}: expected a whole Parquet file, found {reason}; "
                "check what it is (--from), or write it again"
            ) from None

    def _strings(self, pyarrow: Any, values: Any) -> list[str]:  # noqa: ANN401 - no types
        kind = values.type
        if pyarrow.types.is_dictionary(kind):
            kind = kind.value_type
        if not (
            pyarrow.types.is_string(kind)
            or pyarrow.types.is_large_string(kind)
            or pyarrow.types.is_string_view(kind)
        ):
            raise InputError(
                f"{self.name}: expected a column of strings, found {values.type}; "
                "choose another (--column)"
            )
        return ["" if text is None else text for text in values.to_pylist()]

    def _fault(self, line: int, expected: str, found: str, cure: str = "") -> InputError:
        cure = cure or "correct the line"
        return InputError(f"{self.name}, line {line}: expected {expected}, found {found}; {cure}")


def _names(names: Any) -> str:  # noqa: ANN401 - a list, or a table with keys
    listed = [repr(name if len(name) <= 60 else name[:60] + "…") for name in names]
    more = ", …" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more or "no column"


def _json_kind(value: object) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
    return "null" if value is None else kinds.get(type(value), "a number")
