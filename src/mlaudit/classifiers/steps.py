"""Log-odds that are piecewise constant in a coordinate: for outputs that D never gives beyond some value."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, softmax

from mlaudit.classifiers._partitions import average_over_partitions
from mlaudit.classifiers.boosting import select_columns
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import whole

_SURE = 1e-12
_ENOUGH = 5000  # rows for the choice of cut points


@dataclass(frozen=True, eq=False)
class StepsScorer:
    """The log-odds of a weighted mean over rules for one of the `columns` each, constant between its `edges`."""

    columns: IntArray
    edges: tuple[FloatArray, ...]
    log_odds: tuple[FloatArray, ...]
    weights: FloatArray

    def __call__(self, z: FloatArray) -> FloatArray:
        """One log-odds per row."""
        found = zip(z[:, self.columns].T, self.edges, self.log_odds, strict=True)
        alone = [odds[np.searchsorted(edges, values)] for values, edges, odds in found]
        share = expit(np.stack(alone, axis=1)) @ self.weights
        return np.asarray(logit(np.clip(share, _SURE, 1.0 - _SURE)))


@dataclass(frozen=True)
class Steps:
    """The share of each label in at most `bins` slices of a coordinate, averaged over all partitions into ranges.

    Few draws are enough to learn that D gives nothing beyond a value. A linear rule cannot express that, and trees
    need more draws. Coordinates are weighted by the likelihood of the labels.

    >>> z = np.array([[0.1], [0.2], [0.3], [0.7], [0.8], [0.9]])
    >>> (Steps().fit(z, np.array([0, 0, 0, 1, 1, 1]))(z) > 0).tolist()
    [False, False, False, True, True, True]
    """

    bins: int = 24
    columns: int = 16

    def __post_init__(self) -> None:
        whole("bins", self.bins, 2)
        whole("columns", self.columns, 1)

    def fit(self, z: FloatArray, labels: IntArray) -> StepsScorer:
        """Cut at quantiles, or between all values if there are few, and count the labels."""
        columns = select_columns(z[:_ENOUGH], labels[:_ENOUGH], self.columns)
        edges = tuple(cut_points(values, self.bins) for values in z[:_ENOUGH, columns].T)
        rules = [_fit_rule(values, cuts, labels) for values, cuts in zip(z[:, columns].T, edges, strict=True)]
        odds, fits = zip(*rules, strict=True)
        return StepsScorer(columns, edges, odds, np.asarray(softmax(fits)))


def cut_points(values: FloatArray, bins: int) -> FloatArray:
    """Return where to cut; a value equal to an edge lies below it.

    >>> cut_points(np.array([1.0, 1.0, 2.0, 4.0]), 8)
    array([1., 2.])
    """
    there = np.unique(values)
    if len(there) > bins:
        there = np.unique(np.quantile(values, np.arange(1, bins + 1) / bins, method="inverted_cdf"))
    return np.asarray(there[:-1])


def _fit_rule(values: FloatArray, edges: FloatArray, labels: IntArray) -> tuple[FloatArray, float]:
    """Return the log-odds of every slice and the log-likelihood of the labels."""
    at, ones = np.searchsorted(edges, values), labels == 1
    counts = [np.bincount(at[side], minlength=len(edges) + 1) for side in (ones, ~ones)]
    share, _ = average_over_partitions(*counts)
    return np.asarray(logit(share)), float(np.log(np.where(ones, share[at], 1.0 - share[at])).sum())
