"""Copy bytes: a helper of other kernels, as slices of arrays would want memory of their own."""

import numpy as np
from numpy.typing import NDArray

from sfbow.kernels.compiled import helper

U8Array = NDArray[np.uint8]


@helper()
def copy_bytes(source: U8Array, start: int, end: int, target: U8Array, position: int) -> int:
    """Copy ``source[start:end]`` to ``target[position:]``; give where it ends there."""
    shift = position - start
    for i in range(start, end):
        target[i + shift] = source[i]
    return end + shift
