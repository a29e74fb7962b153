"""numba, imported when a sampler that needs it is first asked for; what it compiles is cached beside the source."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from mlaudit.errors import MissingExtra

try:
    from numba import njit
except ImportError:
    raise MissingExtra("numba", "fast") from None

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """A kernel, without fastmath.

    fastmath moved values by one unit in the last place at a clipping bound, an atom of the output, and a classifier
    told such a sampler from the library.
    """
    return cast(Function, njit(cache=True, error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """A function that is copied into the kernels that call it."""
    return cast(Function, njit(inline="always", error_model="numpy")(function))


def fused(function: Function) -> Function:
    """A kernel that adds products before rounding them, as BLAS does; sums keep their order."""
    return cast(Function, njit(cache=True, error_model="numpy", fastmath={"contract"})(function))
