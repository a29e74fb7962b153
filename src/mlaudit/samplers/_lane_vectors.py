"""Vectors of every lane: a lane in each column, so that loops over lanes are elementwise."""

import math
from typing import Any

import numpy as np

from mlaudit.samplers._numba import compiled, fused

_LINE = 64  # bytes of a cache line

Array = np.ndarray[Any, np.dtype[Any]]  # of the lanes' precision


def aligned(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros that start a cache line: vectors across two of them cost the kernels half as much again."""
    size = math.prod(shape) * dtype.itemsize
    raw = np.zeros(size + _LINE, np.uint8)
    first = -raw.ctypes.data % _LINE
    return raw[first : first + size].view(dtype).reshape(shape)


@fused
def dots(total: Any, a: Any, b: Any) -> None:
    """a·b."""
    total[:] = 0.0
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            total[r] += a[j, r] * b[j, r]


@fused
def times(out: Any, factor: Any, a: Any) -> None:
    """factor·a."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            out[j, r] = factor[r] * a[j, r]


@fused
def scaled(a: Any, factor: Any) -> None:
    """Multiply a in place: were it `out` and `a` of `times`, the loop would not be vectorised."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            a[j, r] *= factor[r]


@fused
def added(out: Any, factor: Any, a: Any) -> None:
    """Add factor·a."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            out[j, r] += factor[r] * a[j, r]


@fused
def along(out: Any, point: Any, factor: Any, a: Any) -> None:
    """Point + factor·a."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            out[j, r] = point[j, r] + factor[r] * a[j, r]


@fused
def opposed(out: Any, share: Any, weight: Any, total: Any) -> None:
    """−share − weight·total, of numbers."""
    for r in range(len(out)):
        out[r] = -share[r] - weight[r] * total[r]


@fused
def chosen(out: Any, mask: Any, a: Any) -> None:
    """Copy a in the lanes of the mask."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            after, before = a[j, r], out[j, r]
            out[j, r] = after if mask[r] > 0.0 else before


@compiled
def rounded(a: Any, point: Any) -> None:
    """Make a the difference of two points, which is how scipy gets it: far out, a short one vanishes."""
    for j in range(a.shape[0]):
        for r in range(a.shape[1]):
            a[j, r] = (point[j, r] + a[j, r]) - point[j, r]


@fused
def slopes(slope: Any, norm: Any, gradient: Any, direction: Any) -> None:
    """Slope along the direction and largest component of the gradient, in double precision."""
    slope[:] = 0.0
    norm[:] = 0.0
    for j in range(gradient.shape[0]):
        for r in range(gradient.shape[1]):
            g = np.float64(gradient[j, r])
            slope[r] += g * np.float64(direction[j, r])
            norm[r] = max(norm[r], abs(g))
