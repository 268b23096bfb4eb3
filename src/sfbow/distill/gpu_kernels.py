"""Σ min(a, b) of all pairs and its gradient on a GPU, in Triton, which comes with PyTorch there."""

import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def _shared(  # type: ignore[no-untyped-def] # noqa: ANN202
    a,  # noqa: ANN001
    b,  # noqa: ANN001
    out,  # noqa: ANN001
    rows,  # noqa: ANN001
    others,  # noqa: ANN001
    size,  # noqa: ANN001
    TILE: tl.constexpr,  # noqa: N803
    DEPTH: tl.constexpr,  # noqa: N803
):
    """out[i, k] = Σ_j min(a[i, j], b[k, j]) for a tile of i and k."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    k = tl.program_id(1) * TILE + tl.arange(0, TILE)
    total = tl.zeros((TILE, TILE, DEPTH), tl.float32)
    for start in range(0, size, DEPTH):
        j = start + tl.arange(0, DEPTH)
        inside = j[None, :] < size
        x = tl.load(a + i[:, None] * size + j[None, :], (i[:, None] < rows) & inside, 0.0)
        y = tl.load(b + k[:, None] * size + j[None, :], (k[:, None] < others) & inside, 0.0)
        total += tl.minimum(x[:, None, :], y[None, :, :])
    target = out + i[:, None] * others + k[None, :]
    tl.store(target, tl.sum(total, 2), (i[:, None] < rows) & (k[None, :] < others))


@triton.jit
def _gradient(  # type: ignore[no-untyped-def] # noqa: ANN202
    a,  # noqa: ANN001
    b,  # noqa: ANN001
    weights,  # noqa: ANN001
    out,  # noqa: ANN001
    rows,  # noqa: ANN001
    others,  # noqa: ANN001
    size,  # noqa: ANN001
    TIES: tl.constexpr,  # noqa: N803
    TILE: tl.constexpr,  # noqa: N803
):
    """out[i, j] = Σ_k weights[k, i] · [a[i, j] < b[k, j]], or ≤ with TIES, for a tile."""
    i = tl.program_id(0) * TILE + tl.arange(0, TILE)
    j = tl.program_id(1) * TILE + tl.arange(0, TILE)
    inside = (i[:, None] < rows) & (j[None, :] < size)
    x = tl.load(a + i[:, None] * size + j[None, :], inside, 0.0)
    total = tl.zeros((TILE, TILE), tl.float32)
    for k in range(others):
        y = tl.load(b + k * size + j, j < size, 0.0)
        weight = tl.load(weights + k * rows + i, i < rows, 0.0)
        is_smaller = x <= y[None, :] if TIES else x < y[None, :]
        total += tl.where(is_smaller, weight[:, None], 0.0)
    tl.store(out + i[:, None] * size + j[None, :], total, inside)


def shared(a: Tensor, b: Tensor, out: Tensor) -> None:
    """out[i, k] = Σ_j min(a[i, j], b[k, j])."""
    grid = (triton.cdiv(len(a), 32), triton.cdiv(len(b), 32))
    _shared[grid](a, b, out, len(a), len(b), a.shape[1], TILE=32, DEPTH=8, num_warps=4)


def gradient(a: Tensor, b: Tensor, weights: Tensor, out: Tensor, *, ties: bool) -> None:
    """out[i, j] = Σ_k weights[k, i] · [a[i, j] < b[k, j]], or ≤ with ``ties``."""
    grid = (triton.cdiv(len(a), 64), triton.cdiv(a.shape[1], 64))
    size = a.shape[1]
    _gradient[grid](a, b, weights, out, len(a), len(b), size, TIES=ties, TILE=64, num_warps=4)
