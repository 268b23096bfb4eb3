"""Where PyTorch computes, and that it computes the same each time."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from sfbow.distill.settings import Device
from sfbow.errors import InputError


def find_device(device: Device) -> torch.device:
    """Give the device, which must be there."""
    has_gpu = torch.cuda.is_available()
    if device == "cuda" and not has_gpu:
        raise InputError(
            "device: expected a GPU that PyTorch can use, found none; "
            "use the CPU, or install PyTorch for your GPU"
        )
    if device == "cpu" or not has_gpu:
        return torch.device("cpu")
    # What cuBLAS needs to sum in the same order each time; it looks before its first use only.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    return torch.device("cuda")


@contextmanager
def repeatable() -> Iterator[None]:
    """Sum in the same order each time, where PyTorch knows how."""
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warned)
