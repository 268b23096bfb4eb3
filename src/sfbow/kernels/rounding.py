"""Round to 8 bits."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sfbow.kernels.compiled import F32, IN_F32, helper, kernel, writable

_MOST = np.float32(127)


@helper()
def _level(value: float, step: float) -> float:
    rounded = np.rint(value / step)
    return max(-_MOST, min(_MOST, rounded))


@kernel(types.void(IN_F32, F32, writable(types.int8)))
def round_to_levels(values: NDArray[np.float32], step: float, out: NDArray[np.int8]) -> None:
    """out[i] = values[i] / step, rounded to even, between -127 and 127."""
    for i in range(len(values)):
        out[i] = np.int8(_level(values[i], step))
