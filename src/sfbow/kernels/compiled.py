"""How a kernel is compiled: ahead of its first call, without the GIL, kept on disk.

Inputs are declared read-only, which admits writable arrays as well, so that memory-mapped
and ordinary arrays run the same machine code.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import types

Function = TypeVar("Function", bound=Callable[..., Any])

BOOL = types.boolean
I32 = types.int32
I64 = types.int64
U64 = types.uint64
F32 = types.float32
F64 = types.float64


def read_only(scalar: Any, dimensions: int = 1) -> Any:  # noqa: ANN401 - numba has no types
    """Type a C-contiguous array that the kernel only reads."""
    return types.Array(scalar, dimensions, "C", readonly=True)


def writable(scalar: Any, dimensions: int = 1) -> Any:  # noqa: ANN401 - numba has no types
    """Type a C-contiguous array that the kernel fills."""
    return types.Array(scalar, dimensions, "C")


IN_U8 = read_only(types.uint8)
IN_I32 = read_only(I32)
IN_I64 = read_only(I64)
IN_F32 = read_only(F32)
IN_F64 = read_only(F64)
IN_U8_2D = read_only(types.uint8, 2)
IN_I8_2D = read_only(types.int8, 2)
IN_F32_2D = read_only(F32, 2)
OUT_U8 = writable(types.uint8)
OUT_U8_2D = writable(types.uint8, 2)
OUT_BOOL = writable(BOOL)
OUT_I32 = writable(I32)
OUT_I64 = writable(I64)
OUT_F32 = writable(F32)
OUT_F64 = writable(F64)
OUT_F32_2D = writable(F32, 2)


# Sums may be taken in the order that vector units like; NaN and infinity keep their meaning.
_REORDER = {"reassoc", "nsz", "contract"}


def _options(reorder: bool) -> dict[str, Any]:
    # Kernels allocate nothing, so nothing needs to be counted: numba's atomic reference counts
    # around each inner function would take longer than most of those functions do.
    return {"error_model": "numpy", "fastmath": _REORDER if reorder else False, "_nrt": False}


def helper(*, reorder: bool = False) -> Callable[[Function], Function]:
    """Make a function callable from kernels, and compiled with them."""

    def compile_function(function: Function) -> Function:
        options = _options(reorder) | {"no_cpython_wrapper": True, "forceinline": True}
        return cast("Function", numba.njit(**options)(function))

    return compile_function


def kernel(*signatures: Any, reorder: bool = False) -> Callable[[Function], Function]:  # noqa: ANN401
    """Compile a function for these argument types; ``reorder`` lets its sums be reordered."""
    options = _options(reorder) | {"nogil": True}

    def compile_function(function: Function) -> Function:
        return _kept_on_disk(numba.njit, list(signatures), options, function)

    return compile_function


def callback(signature: Any) -> Callable[[Function], Function]:  # noqa: ANN401
    """Compile a function of C, whose ``address`` a library in another language can call."""

    def compile_function(function: Function) -> Function:
        return _kept_on_disk(numba.cfunc, signature, _options(reorder=False), function)

    return compile_function


def _kept_on_disk(
    compiler: Callable[..., Any],
    signatures: object,
    options: dict[str, Any],
    function: Function,
) -> Function:
    try:
        compiled = compiler(signatures, cache=True, **options)(function)
    except (RuntimeError, OSError) as error:
        # Neither the package's folder nor the user's cache can be written to, or it is full.
        if isinstance(error, RuntimeError) and "cannot cache function" not in str(error):
            raise
        compiled = compiler(signatures, **options)(function)
    return cast("Function", compiled)
