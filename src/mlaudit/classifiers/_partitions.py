"""The share of one label along a line, averaged over all partitions of the line into ranges."""

import numpy as np
from scipy.special import betaln

from mlaudit.types.arrays import FloatArray, IntArray

_CUTS = 2.0  # expected a priori
_PRIOR = 0.25  # of a share (Beta): ranges with one label only are the most informative


def average_over_partitions(ones: IntArray, zeros: IntArray) -> tuple[FloatArray, float]:
    """Return the posterior mean share of ones in each ordered bin, and the log marginal likelihood of the labels.

    The mean is over all partitions of the bins into ranges. A range has one share with a Beta prior. A partition is
    weighted by its marginal likelihood times a prior on the number of cuts.

    >>> average_over_partitions(np.array([0, 0, 3, 4]), np.array([5, 4, 3, 4]))[0].round(2)
    array([0.04, 0.06, 0.48, 0.49])
    """
    bins, edges = len(ones), np.arange(len(ones) + 1)
    size = edges[None, :] - edges[:, None]  # of the range from edge (row) to edge (column)
    one, zero = (np.where(size > 0, s[None, :] - s[:, None], 0) + _PRIOR for s in map(_cumulate, (ones, zeros)))
    cut = min(0.5, _CUTS / bins)
    evidence = betaln(one, zero) - betaln(_PRIOR, _PRIOR) + np.log(cut) + (size - 1) * np.log1p(-cut)
    evidence[size <= 0] = -np.inf
    before, after = np.full(bins + 1, -np.inf), np.full(bins + 1, -np.inf)
    before[0] = after[bins] = 0.0
    for edge in range(1, bins + 1):
        before[edge] = np.logaddexp.reduce(before[:edge] + evidence[:edge, edge])
        after[bins - edge] = np.logaddexp.reduce(after[bins - edge + 1 :] + evidence[bins - edge, bins - edge + 1 :])
    weight = np.exp(before[:, None] + evidence + after[None, :] - before[bins])
    share = weight * one / (one + zero)
    return np.array([share[: k + 1, k + 1 :].sum() for k in range(bins)]), float(before[bins])


def _cumulate(counts: IntArray) -> IntArray:
    return np.append(0, np.cumsum(counts))
