"""Rows that take long to compute, kept in a file that grows: what is there is not done again."""

import hashlib
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from sfbow.locks import locked

Array = NDArray[Any]


def key_of(parts: Iterable[str]) -> str:
    """Name what rows are made from."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()[:16]


def cached_rows(
    path: Path,
    shape: tuple[int, int],
    dtype: Any,  # noqa: ANN401 - whatever NumPy takes for a type
    make: Callable[[slice], Array],
    *,
    block: int,
    title: str,
    show_progress_bar: bool,
) -> Array:
    """Map a matrix, of which the rows that its file lacks are made and appended first.

    The file's length tells how many there are; a row that a killed process left in part is made
    again.
    """
    rows, width = shape
    row_bytes = width * np.dtype(dtype).itemsize
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        locked(path.parent),  # two runs may share a cache: the second waits for what it needs, too
        path.open("ab") as file,
        tqdm(total=rows, desc=title, unit=" rows", disable=not show_progress_bar) as bar,
    ):
        done = min(rows, file.tell() // row_bytes)
        if file.tell() > done * row_bytes:
            os.truncate(path, done * row_bytes)
        bar.update(done)
        for start in range(done, rows, block):
            made = make(slice(start, min(rows, start + block)))
            file.write(np.ascontiguousarray(made, dtype).data)
            file.flush()
            bar.update(len(made))
    # Copied where it is written to, which nobody does; PyTorch wants rows that could be.
    return np.memmap(path, dtype, "c", shape=shape)
