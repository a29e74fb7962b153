"""Decorators that compile kernels with numba; the machine code is cached beside the source."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from mlaudit.errors import MissingExtra

try:
    from numba import njit
except ImportError:
    raise MissingExtra("numba", "fast") from None

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile a kernel without fastmath.

    With fastmath, values at a clipping bound, an atom of the output, moved by one unit in the last place, and a
    classifier distinguished the sampler from the library.
    """
    return cast(Function, njit(cache=True, error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """Copy a function into the kernels that call it."""
    return cast(Function, njit(inline="always", error_model="numpy")(function))


def fused(function: Function) -> Function:
    """Compile a kernel that adds products before rounding them, as BLAS does; sums keep their order."""
    return cast(Function, njit(cache=True, error_model="numpy", fastmath={"contract"})(function))
