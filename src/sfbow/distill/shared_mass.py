"""Σ min(a, b) of all pairs of fuzzy sets, as PyTorch differentiates it."""

from typing import Any

import torch
from torch import Tensor


def shared_mass(a: Tensor, b: Tensor) -> Tensor:
    """m[i, k] = Σ_j min(a[i, j], b[k, j]), from float32 matrices."""
    result: Tensor = _SharedMass.apply(a, b)
    return result


class _SharedMass(torch.autograd.Function):
    """∂m[i, k] / ∂a[i, j] = [a[i, j] ≤ b[k, j]], ∂m[i, k] / ∂b[k, j] = [b[k, j] < a[i, j]]."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:  # noqa: ANN401 - torch has no type
        a, b = a.contiguous(), b.contiguous()
        ctx.save_for_backward(a, b)
        out = torch.empty(len(a), len(b), device=a.device)
        _kernels(a.device).shared(a, b, out)
        return out

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ANN401
        a, b = ctx.saved_tensors
        (gradient,) = gradients
        into_a, into_b = torch.empty_like(a), torch.empty_like(b)
        kernels = _kernels(a.device)
        # Each takes the gradient with the other side's rows first, as it reads it in that order.
        kernels.gradient(a, b, gradient.T.contiguous(), into_a, ties=True)
        kernels.gradient(b, a, gradient.contiguous(), into_b, ties=False)
        return into_a, into_b


def _kernels(device: torch.device) -> Any:  # noqa: ANN401 - a module
    if device.type == "cuda":
        import sfbow.distill.gpu_kernels as gpu_kernels

        return gpu_kernels
    import sfbow.distill.cpu_kernels as cpu_kernels

    return cpu_kernels
