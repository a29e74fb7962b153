"""How fine a number is: floating-point noise added to data gives them away in the last bits (Mironov 2012)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, logit, logsumexp

from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_BITS = 53
_CUTS = 2.0  # expected before anything is seen
_COARSEST = 1100  # than every number but 0


@dataclass(frozen=True, eq=False)
class GrainScorer:
    """Log-odds that change at the `edges` of each coordinate's last bit, added up over the coordinates."""

    edges: tuple[IntArray, ...]
    log_odds: tuple[FloatArray, ...]

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        found = zip(last_bits(z).T, self.edges, self.log_odds, strict=True)
        steps = [odds[np.searchsorted(edges, bits, side="right")] for bits, edges, odds in found]
        return np.asarray(np.sum(steps, axis=0))


@dataclass(frozen=True)
class Grain:
    """How fine each label's numbers are: an average over all ways to cut the places of the last bit into ranges.

    >>> z = np.array([[0.5], [0.25], [0.1], [0.3]])
    >>> (Grain().fit(z, np.array([1, 1, 0, 0]))(z) > 0).tolist()
    [True, True, False, False]
    """

    def fit(self, z: FloatArray, labels: IntArray) -> GrainScorer:
        """Count labels at every place of the last bit."""
        found = [_steps(bits, labels == 1) for bits in last_bits(z).T]
        return GrainScorer(tuple(edges for edges, _ in found), tuple(odds for _, odds in found))


def _steps(bits: IntArray, ones: BoolArray) -> tuple[IntArray, FloatArray]:
    """Where the log-odds change, and what they are between; below the finest that was seen as at the finest."""
    places, at = np.unique(bits, return_inverse=True)
    counts = (np.bincount(at[ones == label], minlength=len(places)) for label in (True, False))
    odds = logit(_shares(*counts))
    return places, np.append(odds[0], odds)


def _shares(ones: IntArray, zeros: IntArray) -> FloatArray:
    """The share of ones in each of some ordered bins: the mean over all ways to join neighbouring bins.

    A range of bins has one share, of which nothing was known before; how probable that makes the labels, times a
    prior for the number of cuts, says how much each way counts.

    >>> _shares(np.array([0, 0, 3, 4]), np.array([5, 4, 3, 4])).round(2)
    array([0.07, 0.1 , 0.48, 0.49])
    """
    bins, edges = len(ones), np.arange(len(ones) + 1)
    size = edges[None, :] - edges[:, None]  # of the range from edge (row) to edge (column)
    one, zero = (np.where(size > 0, s[None, :] - s[:, None], 0) + 0.5 for s in map(_summed, (ones, zeros)))
    cut = min(0.5, _CUTS / bins)
    ranges = betaln(one, zero) - betaln(0.5, 0.5) + np.log(cut) + (size - 1) * np.log1p(-cut)
    ranges[size <= 0] = -np.inf
    before, after = np.full(bins + 1, -np.inf), np.full(bins + 1, -np.inf)
    before[0] = after[bins] = 0.0
    for edge in range(1, bins + 1):
        before[edge] = logsumexp(before[:edge] + ranges[:edge, edge])
        after[bins - edge] = logsumexp(after[bins - edge + 1 :] + ranges[bins - edge, bins - edge + 1 :])
    weight = np.exp(before[:, None] + ranges + after[None, :] - before[bins])
    share = weight * one / (one + zero)
    return np.array([share[: k + 1, k + 1 :].sum() for k in range(bins)])


def _summed(counts: IntArray) -> IntArray:
    return np.append(0, np.cumsum(counts))


def last_bits(z: FloatArray) -> IntArray:
    """The logarithm to base 2 of each number's last set bit; 0 has none, and counts as coarser than all others.

    >>> last_bits(np.array([6.0, 0.75, 0.1, 0.0]))
    array([   1,   -2,  -55, 1100])
    """
    fraction, exponent = np.frexp(z)
    whole = np.abs(np.ldexp(fraction, _BITS)).astype(np.int64)
    after = np.log2(np.maximum(whole & -whole, 1)).astype(np.int64)
    return np.where(whole == 0, _COARSEST, exponent - _BITS + after)
