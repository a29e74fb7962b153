"""Noise that gives nothing away by how its numbers are written.

Doubles near zero are finer than doubles near one, so that the low bits of x + noise tell something about x (see
`floating_point_laplace`). Everything here is a multiple of 2⁻²⁰, or a whole number: no exhibit but that one is about
floating point, and its twins must keep their claim to the last bit.
"""

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from mlaudit.types.arrays import FloatArray

_GRID = 2.0**-20


def on_grid(values: ArrayLike) -> FloatArray:
    """The nearest multiples of 2⁻²⁰.

    >>> on_grid([0.1, 1.0]) * 2**20
    array([ 104858., 1048576.])
    """
    return np.asanyarray(np.rint(np.asanyarray(values, dtype=float) / _GRID) * _GRID)


def laplace(centre: ArrayLike, scale: float, rng: Generator) -> FloatArray:
    """Every value with Laplace noise of its own."""
    return on_grid(rng.laplace(np.asarray(centre, dtype=float), scale))


def geometric(epsilon: float, rng: Generator) -> int:
    """Two-sided geometric noise: P(j) ∝ e^{−ε|j|}, the Laplace noise of whole numbers."""
    stop = -np.expm1(-epsilon)
    up, down = rng.geometric(stop), rng.geometric(stop)
    return up - down  # type: ignore[no-any-return]  # whole numbers already
