"""Words that are already cut: look them up, or turn them into lower case."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.characters import fold_word
from sfbow.kernels.compiled import (
    I64,
    IN_I32,
    IN_I64,
    IN_U8,
    OUT_I32,
    OUT_I64,
    OUT_U8,
    kernel,
)
from sfbow.kernels.hashing import hash_word
from sfbow.kernels.lookup import find_cased

U8Array = NDArray[np.uint8]
I32Array = NDArray[np.int32]
I64Array = NDArray[np.int64]


@kernel(types.void(IN_U8, IN_I64, IN_U8, IN_I32, IN_U8, IN_I32, IN_I32, I64, OUT_U8, OUT_I32))
def find_tokens(
    buffer: U8Array,
    tokens: I64Array,
    blocks: U8Array,
    entries: I32Array,
    words: U8Array,
    offsets: I32Array,
    table: I32Array,
    casing: int,
    folded: U8Array,
    rows: I32Array,
) -> None:
    """Look up words that are already cut: ``rows[i]`` is the row of token i, or -1.

    ``folded`` needs three bytes for each of the longest token.
    """
    for i in range(len(tokens) - 1):
        start, end = tokens[i], tokens[i + 1]
        length = fold_word(buffer, start, end, blocks, entries, folded, 0)
        value = hash_word(folded, 0, length)
        rows[i] = find_cased(
            buffer, start, end, folded, length, value, words, offsets, table, casing
        )


@kernel(types.void(IN_U8, IN_I64, IN_U8, IN_I32, OUT_U8, OUT_I64))
def fold(
    buffer: U8Array,
    texts: I64Array,
    blocks: U8Array,
    entries: I32Array,
    folded: U8Array,
    offsets: I64Array,
) -> None:
    """Write each text ``buffer[texts[i]:texts[i + 1]]`` in lower case, from ``offsets[i]`` on."""
    offsets[0] = 0
    for i in range(len(texts) - 1):
        offsets[i + 1] = fold_word(
            buffer, texts[i], texts[i + 1], blocks, entries, folded, offsets[i]
        )
