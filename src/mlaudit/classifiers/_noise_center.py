"""Where noise lies, by outputs whose labels are known and by all outputs together."""

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.shift import PairedShift


def find_center(noise: FloatArray, known: PairedShift) -> FloatArray:
    """Return the center of each coordinate's noise.

    Labels tell how to remove the shift from an output, but few labels are known at first. The median of all outputs
    needs no label: it lies in the middle between the two shifted centers. It is used where it is the sharper one.

    Args:
        noise: Outputs with known labels, moved half the shift towards each other.
        known: The shift, and the median of all outputs if it is known.

    Returns:
        One center for each coordinate.

    Example:
        >>> known = PairedShift("", np.array([0.1, 9.0]), np.zeros(2), 4).about(np.full((50, 2), 7.0))
        >>> find_center(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), known)
        array([7., 1.])
    """
    own = np.median(noise, axis=0)
    if known.center is None:
        return np.asarray(own)
    size = np.abs(noise - own).mean(axis=0)
    apart = np.divide(np.abs(known.shift), size, out=np.full(len(size), np.inf), where=size > 0)
    # Between the centers of Laplace noise of that size, outputs are exp(-apart / 2) times as dense as at one center,
    # and the variance of a median goes with the square of the density.
    return np.where(known.outputs * np.exp(-apart) > len(noise), known.center, own)
