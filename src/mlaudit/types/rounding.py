"""Round the numbers that an attack computes, so that every machine makes the same pair.

The last digits of a sum or a solved system depend on the processor: BLAS and numpy choose other instructions on each.
The rows of a pair are part of the seeds of its trainings, so that one changed digit would change every training.
"""

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball

DIGITS = 6  # significant digits of a computed number; machines differ in about the twelfth
_EQUAL = 1e-9  # relative difference up to which a computed number counts as a copy of a number of D or of a bound
_INSIDE = 1.0 - 10.0 ** (1 - DIGITS)  # of the radius: what rounding adds to a norm must not leave the ball


def round_computed(x: FloatArray, data: Dataset) -> FloatArray:
    """Return the row x of `data`'s domain with computed numbers rounded to 6 significant digits.

    A number that stands in the same column of D, or is a bound of the column, stays as it is: such numbers are the
    same on every machine. A row on the surface of a ball moves inwards by at most 1e-5 of the radius.

    Args:
        x: A row in D's domain.
        data: D, whose numbers and domain decide what is rounded.

    Returns:
        The rounded row, inside the domain.

    Example:
        >>> data = Dataset([[0.0, 0.1234567891], [1.0, 2.0]])
        >>> round_computed(np.array([1 / 3, 0.1234567891]), data).tolist()
        [0.333333, 0.1234567891]
    """
    known = _known_numbers(data)
    nearest = known[np.abs(known - x).argmin(axis=0), np.arange(len(x))]
    copied = np.abs(nearest - x) <= _EQUAL * np.maximum(np.abs(nearest), np.abs(x))
    if isinstance(data.domain, L2Ball) and not copied.all():
        shrunk = L2Ball(data.domain.radius * _INSIDE).project(x[None, :])[0]
        return np.where(copied & (shrunk == x), nearest, round_significant(shrunk))
    settled = np.where(copied, nearest, round_significant(x))
    return settled if data.domain is None else np.asarray(data.domain.project(settled[None, :])[0])


def round_significant(x: FloatArray, digits: int = DIGITS) -> FloatArray:
    """Round every number to so many significant digits.

    >>> round_significant(np.array([0.0, 1234567.0, -0.00012345678, 1e-300])).tolist()
    [0.0, 1234570.0, -0.000123457, 1e-300]
    """
    return np.array([float(f"{value:.{digits - 1}e}") for value in x.ravel().tolist()]).reshape(x.shape) + 0.0


def _known_numbers(data: Dataset) -> FloatArray:
    """Every column's numbers that are the same on every machine: those of D, and the bounds."""
    if not isinstance(data.domain, Box):
        return data.X
    width = data.X.shape[1]
    return np.vstack([data.finite, np.broadcast_to(data.domain.low, width), np.broadcast_to(data.domain.high, width)])
