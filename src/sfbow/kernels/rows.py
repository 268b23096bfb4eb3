"""Whole rows of bytes: told apart by a hash, and put into another order where they are."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import OUT_I64, OUT_U8, OUT_U8_2D, U64, kernel, read_only, writable
from sfbow.kernels.hashing import HASH_OF_NOTHING, hash_byte

U8Array = NDArray[np.uint8]
U64Array = NDArray[np.uint64]
I64Array = NDArray[np.int64]


@kernel(types.void(read_only(U64, 2), writable(U64)))
def hash_rows(rows: U64Array, out: U64Array) -> None:
    """out[i] = a hash of rows[i]; rows that differ in one number only have different ones."""
    for i in range(len(rows)):
        value = HASH_OF_NOTHING
        for j in range(rows.shape[1]):
            value = hash_byte(value, rows[i, j])
        out[i] = value


@kernel(types.void(OUT_U8_2D, OUT_I64, OUT_U8))
def reorder_rows(rows: U8Array, order: I64Array, spare: U8Array) -> None:
    """rows[i] = what rows[order[i]] was, with the room of one row to spare; empties ``order``."""
    width = rows.shape[1]
    for start in range(len(order)):
        if order[start] < 0:
            continue
        for j in range(width):
            spare[j] = rows[start, j]
        place = start
        source = order[place]
        order[place] = -1
        while source != start:
            for j in range(width):
                rows[place, j] = rows[source, j]
            place = source
            source = order[place]
            order[place] = -1
        for j in range(width):
            rows[place, j] = spare[j]
