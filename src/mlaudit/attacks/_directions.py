"""The directions in which rows vary, chosen so that every machine finds the same ones."""

import numpy as np

from mlaudit.types.arrays import FloatArray

_TIE = 1e-6  # relative difference below which two numbers are equally large: which one is larger is then rounding
_ROUNDING = 1e-9  # of the largest spread: a smaller spread is that of rounding


def principal_directions(X: FloatArray) -> FloatArray:
    """Return unit directions of the rows' variance, the largest variance first, one in each row.

    LAPACK gives a direction either sign, and among directions of equal variance it may return any basis. Here, of
    equal directions the one nearest to a column's axis comes first, and each points to the axis' positive side.
    One-hot columns, and more columns than rows, leave many directions in which rows do not vary at all. Only one of
    these is returned, as the last: the one nearest to an axis.

    Args:
        X: The rows, as many columns as there are attributes.

    Returns:
        Orthogonal unit vectors: each direction in which the rows vary, then one in which they do not (if any).

    Example:
        >>> principal_directions(np.array([[3.0, 0.0], [-3.0, 0.0], [3.0, 0.2], [-3.0, 0.2]])).round(1).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        >>> principal_directions(np.array([[0.0, 5.0, 0.0, 1.0], [1.0, 5.0, 0.0, 0.0]])).round(1).tolist()
        [[0.7, 0.0, 0.0, -0.7], [0.0, 1.0, 0.0, 0.0]]
    """
    _, spreads, directions = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    varied = spreads > _ROUNDING * max(spreads[0], float(np.abs(X).max()))
    spreads, directions = spreads[varied], directions[varied]
    unequal = np.flatnonzero(spreads[1:] < (1.0 - _TIE) * spreads[:-1]) + 1
    parts = [_turn_to_axes(equal) for equal in np.split(directions, unequal)]
    if len(directions) < X.shape[1]:
        parts.append(_find_constant(directions)[None, :])
    return np.vstack(parts) + 0.0


def _turn_to_axes(basis: FloatArray) -> FloatArray:
    """Return a basis of the same space: its vector nearest to an axis, then the nearest of the rest, and so on."""
    turned = np.empty_like(basis)
    for at in range(len(basis)):
        near = (basis**2).sum(axis=0)
        axis = _first_largest(near)
        turned[at] = basis[:, axis] @ basis / np.sqrt(near[axis])
        basis = basis - np.outer(basis @ turned[at], turned[at])
    return turned


def _find_constant(directions: FloatArray) -> FloatArray:
    """Of the directions orthogonal to the given ones the one nearest to an axis."""
    axis = _first_largest(1.0 - (directions**2).sum(axis=0))
    rest = np.eye(directions.shape[1])[axis] - directions[:, axis] @ directions
    return np.asarray(rest / np.linalg.norm(rest))


def _first_largest(sizes: FloatArray) -> int:
    return int((sizes >= (1.0 - _TIE) * sizes.max()).argmax())
