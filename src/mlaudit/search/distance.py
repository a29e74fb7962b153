"""The two-sample distance of outputs on D and on D′: a spike of density counts, whatever mean and spread do.

The distance of a column is the largest difference of probability over ranges of its values, and over single values
that came more than once: noise that is continuous never repeats a value by chance.
"""

import numpy as np

from mlaudit.types.arrays import BoolArray, FloatArray

_SCALE = 4.0  # a distance of 1 counts as much as a shift of 4 units of noise: there, tails hardly overlap
_RANGE_ERRORS = 2.0  # standard errors that are put down to chance where the range is the one that differs most


def distance_shifts(a: FloatArray, b: FloatArray) -> FloatArray:
    """Each column's distance beyond chance, in the scale of a shift.

    >>> noise = np.random.default_rng(0).laplace(size=(64, 1))
    >>> spike = np.where(np.arange(64)[:, None] % 4 == 0, 0.5, noise)
    >>> distance_shifts(noise, noise).tolist(), distance_shifts(noise, spike)[0] > 0.5
    ([0.0], np.True_)
    """
    values, side = np.vstack([a, b]), np.repeat([True, False], [len(a), len(b)])
    order = values.argsort(axis=0, kind="stable")
    values, mine = np.take_along_axis(values, order, axis=0), side[order]
    last = np.vstack([values[1:] != values[:-1], np.ones((1, values.shape[1]), dtype=bool)])
    p, q = _shares_below(mine, len(a)), _shares_below(~mine, len(b))
    n = min(len(a), len(b))
    ranges = _beyond_chance(*_widest_range(p, q, last), n, _RANGE_ERRORS, float(np.log(len(values))))
    single = _beyond_chance(*_single_values(p, q, last), n, 1.0)
    return np.asarray(_SCALE * np.maximum(0.0, np.maximum(ranges, single)))


def repeated_values(a: FloatArray, b: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    """Which outputs of either side have, in one column, the repeated value whose shares differ most; one per column.

    >>> [side.tolist() for side in repeated_values(np.array([[5.0], [5.0], [1.0]]), np.array([[2.0], [3.0]]))[0]]
    [[1.0, 1.0, 0.0], [0.0, 0.0]]
    """
    found = []
    for one, two in zip(a.T, b.T, strict=True):
        values, at = np.unique(np.concatenate([one, two]), return_inverse=True)
        counts = [np.bincount(side, minlength=len(values)) for side in (at[: len(one)], at[len(one) :])]
        apart = np.abs(counts[0] / len(one) - counts[1] / len(two))
        apart[counts[0] + counts[1] < 2] = 0.0
        if apart.any():
            value = values[apart.argmax()]
            found.append(((one == value).astype(float), (two == value).astype(float)))
    return found


def _shares_below(mine: BoolArray, n: int) -> FloatArray:
    """The share of one side up to each place of the sorted values; a row of zeros comes first."""
    return np.vstack([np.zeros((1, mine.shape[1])), np.cumsum(mine, axis=0) / n])


def _widest_range(p: FloatArray, q: FloatArray, last: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Each side's share of the range of values, between two places, on which the sides differ most."""
    place = np.vstack([np.ones((1, last.shape[1]), dtype=bool), last])  # equal values lie on one side of a place
    apart = np.where(place, p - q, 0.0)  # 0 is the difference of the first place
    ends = apart.argmax(axis=0), apart.argmin(axis=0)
    columns = np.arange(p.shape[1])
    inside = [np.abs(side[ends[0], columns] - side[ends[1], columns]) for side in (p, q)]
    return inside[0], inside[1]


def _single_values(p: FloatArray, q: FloatArray, last: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Each side's share of the repeated value whose shares differ most; shares of 0 if no value came twice."""
    found = np.zeros((2, p.shape[1]))
    for column in np.flatnonzero((~last).any(axis=0)):  # few columns of noise have values that came twice
        places = np.append(0, np.flatnonzero(last[:, column]) + 1)
        mine, other = np.diff(p[places, column]), np.diff(q[places, column])
        apart = np.where(np.diff(places) > 1, np.abs(mine - other), 0.0)
        found[:, column] = mine[apart.argmax()], other[apart.argmax()]
    return found[0], found[1]


def _beyond_chance(p: FloatArray, q: FloatArray, n: int, errors: float, tried: float = 0.0) -> FloatArray:
    """How far two shares differ beyond so many errors; `tried` is the log of the number of sets to choose from."""
    error = np.sqrt((p * (1 - p) + q * (1 - q)) / n)
    return np.asarray(np.abs(p - q) - errors * error - (1 + tried) / n)
