"""Kernels are compiled even where the result cannot be kept."""

import numba
import pytest

from sfbow.kernels.compiled import I64, callback, kernel


def double(number: int) -> int:
    return 2 * number


def only_without_cache(monkeypatch, error, compiler="njit"):
    real = getattr(numba, compiler)

    def without_cache(*signatures, cache=False, **options):
        if cache:
            raise error
        return real(*signatures, **options)

    monkeypatch.setattr(numba, compiler, without_cache)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("cannot cache function 'double': no locator available"),
        OSError(28, "No space left on device"),
    ],
)
def test_without_a_place_for_the_cache(monkeypatch, error):
    only_without_cache(monkeypatch, error)
    assert kernel(I64(I64))(double)(21) == 42
    only_without_cache(monkeypatch, error, "cfunc")
    assert callback(I64(I64))(double).ctypes(21) == 42


def test_other_faults_are_not_hidden(monkeypatch):
    only_without_cache(monkeypatch, RuntimeError("out of registers"))
    with pytest.raises(RuntimeError, match="registers"):
        kernel(I64(I64))(double)
