"""Σ min(a, b) of all pairs and its gradient on the cores of a CPU."""

from collections import deque
from collections.abc import Callable

from torch import Tensor

from sfbow import kernels
from sfbow.parallel import map_ordered, thread_count

_ROWS = 64  # of a block: they stay in a core's cache


def shared(a: Tensor, b: Tensor, out: Tensor) -> None:
    """out[i, k] = Σ_j min(a[i, j], b[k, j])."""
    left, right, target = (tensor.detach().numpy() for tensor in (a, b, out))
    _in_blocks(len(a), lambda rows: kernels.shared_by_pair(left[rows], right, target[rows]))


def gradient(a: Tensor, b: Tensor, weights: Tensor, out: Tensor, *, ties: bool) -> None:
    """out[i, j] = Σ_k weights[k, i] · [a[i, j] < b[k, j]], or ≤ with ``ties``."""
    left, right, target = (tensor.detach().numpy() for tensor in (a, b, out))
    by_row = weights.T.contiguous().numpy()
    _in_blocks(
        len(a),
        lambda rows: kernels.shared_gradient(left[rows], right, by_row[rows], ties, target[rows]),
    )


def _in_blocks(rows: int, work: Callable[[slice], None]) -> None:
    blocks = [slice(start, start + _ROWS) for start in range(0, rows, _ROWS)]
    deque(map_ordered(work, blocks, thread_count(None)), maxlen=0)
