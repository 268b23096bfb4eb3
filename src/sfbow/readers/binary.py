"""What the readers of binary vectors share."""

import numpy as np
from numpy.typing import NDArray

from sfbow import kernels
from sfbow.errors import VectorFileError
from sfbow.readers.source import Source


def read_rows(source: Source, count: int, dim: int) -> NDArray[np.float32]:
    """Read the next ``count`` vectors of float32; the caller knows that the file has them."""
    rows = np.empty((count, dim), "<f4")
    read_bytes(source, rows.reshape(-1).view(np.uint8))
    return rows


def read_bytes(source: Source, target: NDArray[np.uint8]) -> None:
    """Fill an array from the file."""
    room = target.data
    while room and (count := source.readinto(room)):
        room = room[count:]
    if room:
        raise VectorFileError(
            source.path,
            "its end",
            expected=f"{len(room)} more bytes",
            found="a file that was cut short while it was read",
            cure="read it when no other program writes it",
        )


def check_finite(source: Source, rows: NDArray[np.float32], first_row: int, what: str) -> None:
    """Refuse NaN and infinity; ``first_row`` numbers the rows for the message."""
    row = kernels.first_not_finite(rows.view(np.int32))
    if row >= 0:
        column = int(np.flatnonzero(~np.isfinite(rows[row]))[0])
        raise VectorFileError(
            source.path,
            f"{what} {first_row + row + 1}",
            expected="finite numbers",
            found=f"{rows[row, column]} in column {column + 1}",
            cure="remove the row, or train or convert the vectors again",
        )
