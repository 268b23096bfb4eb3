"""What every reader gives: the words and vectors of a file, block by block."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfbow.subwords import Subwords


@dataclass(frozen=True)
class WordBlock:
    """Consecutive words of a file: word i is ``buffer[offsets[i]:offsets[i + 1]]``."""

    buffer: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    rows: NDArray[np.float32]


@dataclass(frozen=True)
class VectorStream:
    """A vector file, opened: what is known before its rows are read, and the rows.

    ``count`` is an upper bound of the rows that follow, already checked against the size of the
    file, or None where the format does not say.
    """

    format: str
    dim: int
    count: int | None
    blocks: Iterator[WordBlock]
    subwords: Subwords | None = None
