"""The safetensors format: a checked header, tensors mapped without a copy, writing in blocks.

The safetensors library copies every tensor it reads and wants every tensor whole in memory to
write it; a model of many gigabytes should do neither.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import ModelFolderError
from sfbow.mapped import check_whole

_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2",
    "I8": "|i1", "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "|u1", "BOOL": "|b1",
}  # fmt: skip
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_LARGEST_HEADER = 100_000_000  # the format's own limit
_MOST_DIMENSIONS = 32  # of an array of NumPy 1
_RESERVED = 1016  # for the header of a file that we write: together with its length, 1 KiB

Array = NDArray[Any]


@dataclass(frozen=True)
class TensorInfo:
    """Where a tensor lies in its file."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int
    stop: int


@dataclass(frozen=True)
class TensorSource:
    """A tensor to write: blocks of rows, of which only the type and shape are known before."""

    dtype: np.dtype[Any]
    row_shape: tuple[int, ...]
    blocks: Iterable[Array]

    @classmethod
    def whole(cls, array: Array) -> "TensorSource":
        """Take a tensor that is already in memory."""
        return cls(array.dtype, array.shape[1:], (array,))


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Read and check the header: every byte of the file belongs to exactly one tensor."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LARGEST_HEADER):
            raise _damaged(path, "byte 0", f"a header within the {size} bytes", f"{length} bytes")
        text = file.read(length)
    try:
        header = json.loads(text)
        if not isinstance(header, dict):
            raise TypeError(f"a {type(header).__name__}")
        header.pop("__metadata__", None)
        tensors = {name: _tensor(name, entry, 8 + length) for name, entry in header.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _damaged(path, "the header", "a JSON table of tensors", str(error)) from None
    _check_layout(path, tensors, 8 + length, size)
    return tensors


def _tensor(name: str, entry: Mapping[str, Any], base: int) -> TensorInfo:
    shape = tuple(entry["shape"])
    start, stop = entry["data_offsets"]
    if not all(type(number) is int and number >= 0 for number in (*shape, start, stop)):
        raise ValueError(f"sizes of {name!r} that are no natural numbers")
    if entry["dtype"] not in _DTYPES:
        raise ValueError(f"{name!r} of the type {entry['dtype']!r}")
    dtype = np.dtype(_DTYPES[entry["dtype"]])
    if len(shape) > _MOST_DIMENSIONS or prod(filter(None, shape)) * dtype.itemsize >= 1 << 63:
        raise ValueError(f"{name!r} of more than an array can hold")
    return TensorInfo(name, dtype, shape, base + start, base + stop)


def _check_layout(path: Path, tensors: Mapping[str, TensorInfo], base: int, size: int) -> None:
    position = base
    for info in sorted(tensors.values(), key=lambda info: (info.start, info.stop)):
        needed = prod(info.shape) * info.dtype.itemsize
        if info.start != position or info.stop - info.start != needed:
            raise _damaged(
                path,
                f"tensor {info.name!r}",
                f"bytes {position} to {position + needed}",
                f"bytes {info.start} to {info.stop}",
            )
        position = info.stop
    if position != size:
        raise _damaged(path, "its end", f"{position} bytes", f"{size} bytes")


def _damaged(path: Path, where: str, expected: str, found: str) -> ModelFolderError:
    return ModelFolderError(
        path, where, expected=expected, found=found, cure="copy or build the file again"
    )


def map_tensor(path: Path, info: TensorInfo) -> Array:
    """Map a tensor read-only; nothing is read before it is used."""
    if info.start == info.stop:
        return np.empty(info.shape, info.dtype)
    return np.asarray(np.memmap(path, info.dtype, "r", info.start, info.shape))


def write_tensors(path: Path, tensors: Mapping[str, TensorSource]) -> None:
    """Write tensors to a new file, flushed to the disk.

    Wider types come first, so that every tensor is aligned; the header, written last, has room
    reserved for it.
    """
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    entries = {}
    position = 0
    with path.open("xb") as file:
        file.seek(8 + _RESERVED)
        for name, source in ordered:
            start, rows = position, 0
            for block in source.blocks:
                check_whole(block)
                contiguous = np.ascontiguousarray(block, source.dtype)
                file.write(contiguous.reshape(-1).view(np.uint8).data)
                position += contiguous.nbytes
                rows += len(contiguous)
            entries[name] = {
                "dtype": _NAMES[source.dtype],
                "shape": (rows, *source.row_shape),
                "data_offsets": (start, position),
            }
        header = json.dumps(entries, separators=(",", ":")).encode().ljust(_RESERVED)
        if len(header) > _RESERVED:
            raise ValueError(f"{len(entries)} tensors are too many for one file")
        file.seek(0)
        file.write(_RESERVED.to_bytes(8, "little") + header)
        file.flush()
        os.fsync(file.fileno())
