"""The share of one label along a line, without knowing beforehand where it changes."""

import numpy as np
from scipy.special import betaln

from mlaudit.types.arrays import FloatArray, IntArray

_CUTS = 2.0  # expected before anything is seen
_PRIOR = 0.25  # of a share (Beta): ranges with one label only are what gives most away


def ranges(ones: IntArray, zeros: IntArray) -> tuple[FloatArray, float]:
    """The share of ones in each of some ordered bins, and the logarithm of how probable the labels are.

    The share is a mean over all ways to join neighbouring bins.

    A range of bins has one share, of which nothing was known before; how probable that makes the labels, times a
    prior for the number of cuts, says how much each way counts.

    >>> ranges(np.array([0, 0, 3, 4]), np.array([5, 4, 3, 4]))[0].round(2)
    array([0.04, 0.06, 0.48, 0.49])
    """
    bins, edges = len(ones), np.arange(len(ones) + 1)
    size = edges[None, :] - edges[:, None]  # of the range from edge (row) to edge (column)
    one, zero = (np.where(size > 0, s[None, :] - s[:, None], 0) + _PRIOR for s in map(_summed, (ones, zeros)))
    cut = min(0.5, _CUTS / bins)
    alike = betaln(one, zero) - betaln(_PRIOR, _PRIOR) + np.log(cut) + (size - 1) * np.log1p(-cut)
    alike[size <= 0] = -np.inf
    before, after = np.full(bins + 1, -np.inf), np.full(bins + 1, -np.inf)
    before[0] = after[bins] = 0.0
    for edge in range(1, bins + 1):
        before[edge] = np.logaddexp.reduce(before[:edge] + alike[:edge, edge])
        after[bins - edge] = np.logaddexp.reduce(after[bins - edge + 1 :] + alike[bins - edge, bins - edge + 1 :])
    weight = np.exp(before[:, None] + alike + after[None, :] - before[bins])
    share = weight * one / (one + zero)
    return np.array([share[: k + 1, k + 1 :].sum() for k in range(bins)]), float(before[bins])


def _summed(counts: IntArray) -> IntArray:
    return np.append(0, np.cumsum(counts))
