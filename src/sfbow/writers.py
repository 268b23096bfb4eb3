"""Vectors of texts into files, as a stream: NumPy's .npy, JSONL or Parquet."""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import MissingExtraError

VectorFormat = Literal["npy", "jsonl", "parquet"]
Write = Callable[[list[str], NDArray[np.float32]], None]

_ENDINGS: dict[str, VectorFormat] = {
    ".npy": "npy",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}


def vector_format(path: str | Path) -> VectorFormat | None:
    """Tell a file's format from the ending of its name."""
    return _ENDINGS.get(Path(path).suffix.lower())


def vector_writer(file: BinaryIO, kind: VectorFormat, width: int) -> AbstractContextManager[Write]:
    """Give a function that writes texts and their vectors; the file is whole at the end."""
    return _WRITERS[kind](file, width)


@contextmanager
def _npy(file: BinaryIO, width: int) -> Iterator[Write]:
    rows = 0

    def write(_: list[str], vectors: NDArray[np.float32]) -> None:
        nonlocal rows
        file.write(np.ascontiguousarray(vectors, "<f4").data)
        rows += len(vectors)

    # NumPy leaves room in the header for a number of rows that grows.
    _write_npy_header(file, (0, width))
    yield write
    file.seek(0)
    _write_npy_header(file, (rows, width))


def _write_npy_header(file: BinaryIO, shape: tuple[int, int]) -> None:
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)


@contextmanager
def _jsonl(file: BinaryIO, width: int) -> Iterator[Write]:
    # Nine digits tell every float32 from its neighbours.
    row_format = ", ".join(["%.9g"] * width)

    def write(texts: list[str], vectors: NDArray[np.float32]) -> None:
        for text, row in zip(texts, vectors.tolist(), strict=True):
            line = f'{{"text": {_json_text(text)}, "vector": [{row_format % tuple(row)}]}}\n'
            file.write(line.encode())

    yield write


def _json_text(text: str) -> str:
    """Write a JSON string; half a surrogate pair, which UTF-8 does not know, is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    try:
        quoted.encode()
    except UnicodeEncodeError:
        return json.dumps(text)
    return quoted


@contextmanager
def _parquet(file: BinaryIO, width: int) -> Iterator[Write]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("Parquet", "arrow") from None
    kind = pyarrow.list_(pyarrow.float32(), width)
    schema = pyarrow.schema([("text", pyarrow.string()), ("vector", kind)])

    def write(texts: list[str], vectors: NDArray[np.float32]) -> None:
        flat = pyarrow.array(vectors.reshape(-1))
        columns = [
            pyarrow.array([text.encode("utf-8", "replace") for text in texts], pyarrow.string()),
            pyarrow.FixedSizeListArray.from_arrays(flat, width),
        ]
        writer.write_table(pyarrow.table(columns, schema=schema))

    # Hardly any number occurs twice.
    with parquet.ParquetWriter(file, schema, use_dictionary=False) as writer:
        yield write


_WRITERS: dict[VectorFormat, Callable[[BinaryIO, int], AbstractContextManager[Write]]] = {
    "npy": _npy,
    "jsonl": _jsonl,
    "parquet": _parquet,
}


@contextmanager
def replacing(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file to write that takes its name only when it is whole, in a single step."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # Devices and pipes are written to, not replaced.
        with _naming(path), target.open("wb") as file:
            yield file
        return
    temporary = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with _naming(path), _open_new(temporary, path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _naming(path: str | Path) -> Iterator[None]:
    """Say which file it is that cannot be written."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def _open_new(temporary: Path, path: str | Path) -> BinaryIO:
    try:
        return temporary.open("xb")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
