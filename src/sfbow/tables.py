"""Texts out of files, one at a time: lines, or a column of CSV, TSV, JSONL or Parquet."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from sfbow.errors import InputError, MissingExtraError

Errors = Literal["strict", "replace"]
# A text, its id, and other columns by their names. (A plain tuple: Python's garbage collector does
# not look at millions of them again and again.)
TableRow = tuple[str, str | int | None, dict[str, Any] | None]
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
        if kind == "lines":
            return self.lines()
        return (text for text, *_ in self.rows(kind, column))

    def rows(
        self, kind: TableFormat, text: str, key: str | None = None, others: tuple[str, ...] = ()
    ) -> Iterator[TableRow]:
        """Yield the texts with their ids and with other columns, where they are asked for."""
        if kind == "lines":
            yield from ((line, None, None) for line in self.lines())
            return
        first = 1 if key is None else 2
        for values in self._values(kind, text, key, others):
            other = dict(zip(others, values[first:], strict=True)) if others else None
            yield values[0], None if key is None else values[1], other

    def _values(
        self, kind: TableFormat, text: str, key: str | None, others: tuple[str, ...]
    ) -> Iterator[tuple[Any, ...]]:
        if kind == "jsonl":
            return self._objects(text, key, others)
        if kind == "parquet":
            return self._parquet(text, key, others)
        columns = (text, *([] if key is None else [key]), *others)
        return self._separated(columns, "," if kind == "csv" else "\t")

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
        for number, record in self._parsed():
            for key in keys:
                self._check(number, record, key, "a text", _is_text)
            yield [record[key] for key in keys]

    def _objects(
        self, text: str, key: str | None, others: tuple[str, ...]
    ) -> Iterator[tuple[Any, ...]]:
        for number, record in self._parsed():
            self._check(number, record, text, "a text", _is_text)
            if key is not None:
                self._check(number, record, key, "a text or a whole number", _is_id)
            keys = () if key is None else (record[key],)
            yield record[text], *keys, *(record.get(other) for other in others)

    def _parsed(self) -> Iterator[tuple[int, dict[str, Any]]]:
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
            yield number, record

    def _check(
        self,
        number: int,
        record: dict[str, Any],
        key: str,
        expected: str,
        fits: Callable[[object], bool],
    ) -> None:
        if not fits(record.get(key)):
            found = _json_kind(record[key]) if key in record else f"{_names(record)} only"
            raise self._fault(number, f"{expected} under {key!r}", found)

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

    def _separated(self, columns: tuple[str, ...], delimiter: str) -> Iterator[tuple[str, ...]]:
        csv.field_size_limit(_LONGEST_FIELD)
        reader = csv.reader(self._decoded(), delimiter=delimiter, strict=True)
        try:
            header = next(reader, None)
            if header is None:
                return
            places = [self._place(header, column) for column in columns]
            for row in reader:
                if row and len(row) != len(header):
                    raise self._fault(
                        reader.line_num,
                        f"{len(header)} fields, as in the header",
                        str(len(row)),
                        cure="quote fields that hold the separator",
                    )
                if row:
                    yield tuple(row[place] for place in places)
        except csv.Error as error:
            raise self._fault(reader.line_num, "CSV with a header", str(error)) from None

    def _place(self, names: list[str], column: str) -> int:
        if names.count(column) == 1:
            return names.index(column)
        raise InputError(
            f"{self.name}: expected one column {column!r}, "
            f"found {_names(names)}; choose one of its columns"
        )

    def _parquet(
        self, text: str, key: str | None, others: tuple[str, ...]
    ) -> Iterator[tuple[Any, ...]]:
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
            columns = list(dict.fromkeys([text, *([] if key is None else [key]), *others]))
            for column in columns:
                self._place(table.schema_arrow.names, column)
            for batch in table.iter_batches(_BATCH, columns=columns):
                values = [self._strings(pyarrow, batch.column(text))]
                if key is not None:
                    values.append(self._keys(batch.column(key), key))
                values += [batch.column(other).to_pylist() for other in others]
                yield from zip(*values, strict=True)
        except (pyarrow.ArrowException, OSError) as error:
            reason = str(error).strip().split("\n")[0]
            raise InputError(
                f"{self.name}: expected a whole Parquet file, found {reason}; "
                "check what it is (--from), or write it again"
            ) from None

    def _keys(self, values: Any, key: str) -> list[Any]:  # noqa: ANN401 - no types
        keys: list[Any] = values.to_pylist()
        wrong = [one for one in keys if not _is_id(one)]
        if not wrong:
            return keys
        raise InputError(
            f"{self.name}: expected texts or whole numbers under {key!r}, "
            f"found {_json_kind(wrong[0])}; choose another column"
        )

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
                f"{self.name}: expected a column of strings, found {values.type}; choose another"
            )
        return ["" if text is None else text for text in values.to_pylist()]

    def _fault(self, line: int, expected: str, found: str, cure: str = "") -> InputError:
        cure = cure or "correct the line"
        return InputError(f"{self.name}, line {line}: expected {expected}, found {found}; {cure}")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _names(names: Any) -> str:  # noqa: ANN401 - a list, or a table with keys
    listed = [repr(name if len(name) <= 60 else name[:60] + "…") for name in names]
    more = ", …" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more or "no column"


def _json_kind(value: object) -> str:
    kinds = {
        dict: "an object", list: "a list", str: "a text", bool: "a truth value",
        int: "a number", float: "a number", type(None): "null",
    }  # fmt: skip
    return kinds.get(type(value), f"a {type(value).__name__}")  # Parquet has others
