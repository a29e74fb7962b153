"""Arithmetic on the vectors of every lane: one lane in each column, so that loops over lanes are elementwise.

Functions write to their first argument. A `factor` is one number for each lane.
"""

import math
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled, fused

_LINE = 64  # bytes of a cache line

Array = np.ndarray[Any, np.dtype[Any]]  # of the lanes' precision


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros at the start of a cache line: vectors that cross two lines make the kernels half as slow again."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.zeros(size + _LINE, np.uint8)
    first = -raw.ctypes.data % _LINE
    return raw[first : first + size].view(dtype).reshape(shape)


@fused
def dot(total: Any, a: Any, b: Any) -> None:
    """Set total to a·b."""
    total[:] = 0.0
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            total[r] += a[j, r] * b[j, r]


@fused
def multiply(out: Any, factor: Any, a: Any) -> None:
    """Set out to factor·a."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            out[j, r] = factor[r] * a[j, r]


@fused
def scale(a: Any, factor: Any) -> None:
    """Multiply a by factor in place; `multiply(a, factor, a)` would not be vectorised."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            a[j, r] *= factor[r]


@fused
def add_multiple(out: Any, factor: Any, a: Any) -> None:
    """Add factor·a to out."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            out[j, r] += factor[r] * a[j, r]


@fused
def step_along(out: Any, point: Any, factor: Any, a: Any) -> None:
    """Set out to point + factor·a."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            out[j, r] = point[j, r] + factor[r] * a[j, r]


@fused
def negate_sum(out: Any, a: Any, b: Any, c: Any) -> None:
    """Set out to −a − b·c, one number for each lane."""
    for r in range(len(out)):
        out[r] = -a[r] - b[r] * c[r]


@fused
def copy_where(out: Any, mask: Any, a: Any) -> None:
    """Copy a to out in the lanes whose mask is positive."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            after, before = a[j, r], out[j, r]
            out[j, r] = after if mask[r] > 0.0 else before


@compiled
def round_as_difference(a: Any, point: Any) -> None:
    """Replace a by (point + a) − point, as scipy computes it: far from zero a short vector vanishes."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            a[j, r] = (point[j, r] + a[j, r]) - point[j, r]


@fused
def measure_slopes(slope: Any, norm: Any, gradient: Any, direction: Any) -> None:
    """Set slope to gradient·direction and norm to the gradient's largest component, in double precision."""
    slope[:] = 0.0
    norm[:] = 0.0
    for j in range(gradient.shape[0]):
        for r in range(gradient.shape[1]):
            g = np.float64(gradient[j, r])
            slope[r] += g * np.float64(direction[j, r])
            norm[r] = max(norm[r], abs(g))
