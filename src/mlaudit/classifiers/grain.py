"""The last set bit of a number: floating-point noise reveals in it to what it was added (Mironov 2012)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from mlaudit.classifiers._partitions import average_over_partitions
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_BITS = 53
_COARSEST = 1100  # larger than the last bit of every number; stands for 0


@dataclass(frozen=True, eq=False)
class GrainScorer:
    """Log-odds that change at the `edges` of each coordinate's last bit, added up over the coordinates."""

    edges: tuple[IntArray, ...]
    log_odds: tuple[FloatArray, ...]

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        found = zip(_signed_last_bits(z).T, self.edges, self.log_odds, strict=True)
        steps = [odds[np.searchsorted(edges, bits, side="right")] for bits, edges, odds in found]
        return np.asarray(np.sum(steps, axis=0))


@dataclass(frozen=True)
class Grain:
    """Log-odds by the last set bit of each number, averaged over all partitions of the bits into ranges.

    Negative and positive numbers are distinguished, as noise may have been added to a number of either sign.

    >>> z = np.array([[0.5], [0.25], [0.1], [0.3]])
    >>> (Grain().fit(z, np.array([1, 1, 0, 0]))(z) > 0).tolist()
    [True, True, False, False]
    """

    def fit(self, z: FloatArray, labels: IntArray) -> GrainScorer:
        """Count the labels at every last bit."""
        found = [_fit_log_odds(bits, labels == 1) for bits in _signed_last_bits(z).T]
        return GrainScorer(tuple(edges for edges, _ in found), tuple(odds for _, odds in found))


def _fit_log_odds(bits: IntArray, ones: BoolArray) -> tuple[IntArray, FloatArray]:
    """Return where the log-odds change and their values between."""
    edges, at = np.unique(bits, return_inverse=True)
    counts = (np.bincount(at[ones == label], minlength=len(edges)) for label in (True, False))
    odds = logit(average_over_partitions(*counts)[0])
    return edges, np.append(odds[0], odds)


def _signed_last_bits(z: FloatArray) -> IntArray:
    """Return the last bits with the sign of the number: coarse numbers at both ends, fine ones in the middle.

    >>> _signed_last_bits(np.array([-2.0, -0.1, 0.1, 2.0, 0.0]))
    array([-1101, -1045,  1045,  1101,  2200])
    """
    return np.where(z < 0, -1, 1) * (last_bits(z) + _COARSEST)


def last_bits(z: FloatArray) -> IntArray:
    """Return log₂ of each number's last set bit; 0 has none and counts as coarser than all others.

    >>> last_bits(np.array([6.0, 0.75, 0.1, 0.0]))
    array([   1,   -2,  -55, 1100])
    """
    fraction, exponent = np.frexp(z)
    whole = np.abs(np.ldexp(fraction, _BITS)).astype(np.int64)
    after = np.log2(np.maximum(whole & -whole, 1)).astype(np.int64)
    return np.where(whole == 0, _COARSEST, exponent - _BITS + after)
