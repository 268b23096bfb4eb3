"""What comes back with a hit, one value a row, packed: texts, and payloads as JSON.

A row without a value has the one byte 0xFF, which UTF-8 does not know.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import InputError
from sfbow.mapped import check_whole
from sfbow.text import Texts, gather

Payload = dict[str, Any]

NOTHING = b"\xff"


@dataclass(frozen=True)
class Column:
    """Value i is ``buffer[offsets[i]:offsets[i + 1]]``."""

    buffer: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def value(self, row: int) -> bytes | None:
        """Give the value of a row; a damaged one is a ValueError."""
        check_whole(self.buffer, self.offsets)
        start, stop = self.offsets[row : row + 2].tolist()
        if not 0 <= start <= stop <= len(self.buffer):
            raise ValueError(f"bytes {start} to {stop} of {len(self.buffer)}")
        value = self.buffer[start:stop].tobytes()
        return None if value == NOTHING else value

    def take(self, rows: NDArray[np.int64]) -> Texts:
        """Copy the values of some rows; damaged ones are a ValueError."""
        check_whole(self.buffer, self.offsets)
        starts, stops = self.offsets[rows], self.offsets[rows + 1]
        if not ((starts >= 0) & (starts <= stops) & (stops <= len(self.buffer))).all():
            raise ValueError(f"values that do not lie within {len(self.buffer)} bytes")
        return gather(self.buffer, starts, stops)


def values(texts: Texts) -> list[bytes]:
    """Give packed values one by one."""
    data, bounds = texts.buffer.tobytes(), texts.offsets.tolist()
    return [data[start:stop] for start, stop in pairwise(bounds)]


def nothing(count: int) -> Texts:
    """Give as many values that are none."""
    return Texts(np.full(count, NOTHING[0], np.uint8), np.arange(count + 1))


def pack_payload(payload: Iterable[Mapping[str, Any] | None], count: int) -> Texts:
    """Turn a table, or None, for each row into JSON."""
    rows = payload if isinstance(payload, Sequence) else list(_iterable(payload))
    if len(rows) != count:
        raise InputError(
            f"payload: expected {count}, one for each id, found {len(rows)}; "
            "give None where there is none"
        )
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    packed = []
    for place, row in enumerate(rows):
        if row is None:
            packed.append(NOTHING)
            continue
        if not isinstance(row, Mapping):
            raise InputError(
                f"payload {place}: expected a dictionary or None, found {type(row).__name__}; "
                "put it into one"
            )
        try:
            packed.append(encode(dict(row)).encode("utf-8", "surrogatepass"))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(
                f"payload {place}: expected what JSON has, found other things ({error!s:.100}); "
                "convert them"
            ) from None
    return Texts.of_bytes(packed)


def _iterable(payload: object) -> Iterable[Any]:
    if not isinstance(payload, Iterable):
        raise InputError(
            f"payload: expected a dictionary for each id, found {type(payload).__name__}; "
            "give a list of them"
        )
    return payload


def join(parts: Sequence[Texts]) -> Texts:
    """Put packed values one behind the other."""
    buffers = [part.buffer[part.offsets[0] : part.offsets[-1]] for part in parts]
    lengths = [np.diff(part.offsets) for part in parts]
    offsets = np.zeros(1 + sum(map(len, lengths)), np.int64)
    np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]), out=offsets[1:])
    return Texts(np.concatenate([np.zeros(0, np.uint8), *buffers]), offsets)
