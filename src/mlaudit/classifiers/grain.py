"""How fine a number is: floating-point noise added to data gives them away in the last bits (Mironov 2012)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logit

from mlaudit.classifiers._ranges import ranges
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_BITS = 53
_COARSEST = 1100  # than every number but 0


@dataclass(frozen=True, eq=False)
class GrainScorer:
    """Log-odds that change at the `edges` of each coordinate's places, added up over the coordinates."""

    edges: tuple[IntArray, ...]
    log_odds: tuple[FloatArray, ...]

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        found = zip(_places(z).T, self.edges, self.log_odds, strict=True)
        steps = [odds[np.searchsorted(edges, places, side="right")] for places, edges, odds in found]
        return np.asarray(np.sum(steps, axis=0))


@dataclass(frozen=True)
class Grain:
    """How fine each label's numbers are: an average over all ways to cut the places of the last bit into ranges.

    Negative numbers have places of their own, as noise may have been added to a number of either sign.

    >>> z = np.array([[0.5], [0.25], [0.1], [0.3]])
    >>> (Grain().fit(z, np.array([1, 1, 0, 0]))(z) > 0).tolist()
    [True, True, False, False]
    """

    def fit(self, z: FloatArray, labels: IntArray) -> GrainScorer:
        """Count labels at every place of the last bit."""
        found = [_steps(places, labels == 1) for places in _places(z).T]
        return GrainScorer(tuple(edges for edges, _ in found), tuple(odds for _, odds in found))


def _steps(places: IntArray, ones: BoolArray) -> tuple[IntArray, FloatArray]:
    """Where the log-odds change, and what they are between."""
    edges, at = np.unique(places, return_inverse=True)
    counts = (np.bincount(at[ones == label], minlength=len(edges)) for label in (True, False))
    odds = logit(ranges(*counts)[0])
    return edges, np.append(odds[0], odds)


def _places(z: FloatArray) -> IntArray:
    """The last bits in one line: the coarse at both ends, negative and positive, and the fine in the middle.

    >>> _places(np.array([-2.0, -0.1, 0.1, 2.0, 0.0]))
    array([-1101, -1045,  1045,  1101,  2200])
    """
    return np.where(z < 0, -1, 1) * (last_bits(z) + _COARSEST)


def last_bits(z: FloatArray) -> IntArray:
    """The logarithm to base 2 of each number's last set bit; 0 has none, and counts as coarser than all others.

    >>> last_bits(np.array([6.0, 0.75, 0.1, 0.0]))
    array([   1,   -2,  -55, 1100])
    """
    fraction, exponent = np.frexp(z)
    whole = np.abs(np.ldexp(fraction, _BITS)).astype(np.int64)
    after = np.log2(np.maximum(whole & -whole, 1)).astype(np.int64)
    return np.where(whole == 0, _COARSEST, exponent - _BITS + after)
