"""Where noise lies and how large it is, by outputs whose labels are known and by all outputs together.

Labels tell how to remove the shift from an output, but few labels are known at first. All outputs together need no
label: their median lies in the middle between the two shifted centers, and a small shift hardly spreads them.
"""

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.quantiles import find_quantiles
from mlaudit.types.shift import PairedShift

_SMALL = 0.5  # shift, in units of the noise, up to which all outputs tell its size


def find_center(noise: FloatArray, known: PairedShift) -> FloatArray:
    """Return the center of each coordinate's noise: the median of all outputs where it is the sharper one.

    Args:
        noise: Outputs with known labels, moved half the shift towards each other.
        known: The shift, and all outputs if they are there.

    Returns:
        One center for each coordinate.

    Example:
        >>> known = PairedShift("", np.array([0.1, 9.0]), np.zeros(2), 4).among(np.full((50, 2), 7.0))
        >>> find_center(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), known)
        array([7., 1.])
    """
    (own,) = find_quantiles(noise, (0.5,))
    if known.pooled is None:
        return own
    size = np.abs(noise - own).mean(axis=0)
    apart = np.divide(np.abs(known.shift), size, out=np.full(len(size), np.inf), where=size > 0)
    # Between the centers of Laplace noise of that size, outputs are exp(-apart / 2) times as dense as at one center,
    # and the variance of a median goes with the square of the density.
    return np.where(known.pooled.count * np.exp(-apart) > len(noise), known.pooled.center, own)


def find_sizes(v: FloatArray, known: PairedShift) -> tuple[FloatArray, FloatArray]:
    """Return the mean absolute deviation and the standard deviation of each coordinate's noise.

    Args:
        v: Noise of outputs with known labels, about its center.
        known: The shift, and all outputs if they are there: they tell more if the shift is small.

    Returns:
        Two numbers for each coordinate.

    Example:
        >>> known = PairedShift("", np.ones(1), np.zeros(1), 4)
        >>> z = np.random.default_rng(0).laplace(scale=4.0, size=(10_000, 1)) + np.tile([[0.0], [1.0]], (5000, 1))
        >>> few = np.array([[-1.0], [0.0], [5.0]])
        >>> [size.round().tolist() for size in (find_sizes(few, known)[0], find_sizes(few, known.among(z))[0])]
        [[2.0], [4.0]]
    """
    own = np.abs(v).mean(axis=0), v.std(axis=0)
    if known.pooled is None:
        return own
    size, deviation, square = known.pooled.size, known.pooled.deviation, np.square(known.shift)
    small = (size > 0) & (np.abs(known.shift) <= _SMALL * size)
    # Two halves of the outputs lie half the shift to either side: without it, the deviations are these.
    less = size - square / (8 * np.where(small, size, 1.0)), np.sqrt(np.maximum(deviation**2 - square / 4, 0.0))
    return np.where(small, less[0], own[0]), np.where(small, less[1], own[1])
