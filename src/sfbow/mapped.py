"""Arrays that are mapped from files: what they need beyond other arrays."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfbow.errors import ModelFolderError

Array = NDArray[Any]


def row_blocks(matrix: Array, rows: int = 1 << 14) -> Iterator[Array]:
    """Yield a matrix in blocks, giving pages of a mapped file back once they are used."""
    base = _map_below(matrix)
    mapping: Any = getattr(base, "_mmap", None)
    for start in range(0, len(matrix), rows):
        check_whole(matrix)
        yield matrix[start : start + rows]
        # Pages of a private mapping may hold the only copy of what was written to them.
        if base is not None and base.mode == "r" and hasattr(mapping, "madvise"):
            mapping.madvise(4)  # MADV_DONTNEED


def check_whole(*arrays: Array) -> None:
    """Refuse arrays whose file was cut since they were mapped: to read them would be fatal."""
    for array in arrays:
        base = _map_below(array)
        if base is None:
            continue
        end, size = base.offset + base.nbytes, getattr(base, "_mmap").size()  # noqa: B009
        if size < end:
            raise ModelFolderError(
                base.filename or "a mapped file",
                expected=f"at least {end} bytes",
                found=f"{size}: another program cut it",
                cure="copy or build the folder again",
            )


def _map_below(array: Array) -> np.memmap[Any, Any] | None:
    """Give the mapping that an array views, however indirectly."""
    base: Any = array
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    return base if isinstance(base, np.memmap) else None
