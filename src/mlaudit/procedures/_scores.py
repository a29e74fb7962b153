"""Histograms of the scores of counted trainings, for reports."""

import numpy as np

from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.finding import ScoreCounts

_BINS = 48
_OUTER = 0.002  # the share of scores at either end that may lie beyond the outer edges
_NARROW = 1e-6  # scores that all agree still need bins with a width


def bin_scores(scores: FloatArray, labels: IntArray) -> ScoreCounts:
    """Count the scores of each label in bins of equal width; the most extreme scores go into the outer bins.

    >>> bin_scores(np.array([-1.0, -1.0, 1.0]), np.array([0, 1, 1])).on_base[0]
    1
    """
    low, high = np.quantile(scores, [_OUTER, 1 - _OUTER])
    reach = max(float(high - low), _NARROW * max(1.0, abs(float(low)), abs(float(high))))
    middle = float(low + high) / 2
    edges = np.linspace(middle - reach / 2, middle + reach / 2, _BINS + 1)
    bin_of = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, _BINS - 1)
    sides = [np.bincount(bin_of[labels == label], minlength=_BINS) for label in (1, 0)]
    return ScoreCounts(tuple(edges.tolist()), *(tuple(side.tolist()) for side in sides))
