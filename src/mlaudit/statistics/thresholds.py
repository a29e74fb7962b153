"""The output set S = {score > t}, or its complement, with the largest lower bound on ε."""

import numpy as np

from mlaudit.protocols import Interval
from mlaudit.statistics.group_privacy import epsilon_per_step
from mlaudit.types.arrays import FloatArray, IntArray


def best_threshold(
    scores: FloatArray,
    labels: IntArray,
    interval: Interval,
    alpha: float,
    *,
    floor: float,
    delta: float = 0.0,
    steps: int = 1,
) -> tuple[float, bool]:
    """Return the threshold with the largest lower bound, among those with a share of false hits of at least `floor`.

    One sort and two cumulative counts serve all thresholds. Returns (t, complement): with `complement` the set is
    {score ≤ t}, hit by D′.

    >>> from mlaudit.intervals.mover_cp import MoverCP
    >>> scores, labels = np.arange(40.0), np.repeat([0, 1], 20)
    >>> best_threshold(scores, labels, MoverCP(), 0.05, floor=0.0)
    (19.0, False)
    """
    cuts, below_one, below_zero = _cumulative_counts(scores, labels)
    ones, zeros = int((labels == 1).sum()), int((labels == 0).sum())
    above = _bounds(ones - below_one, zeros - below_zero, ones, zeros, interval, alpha, floor, delta, steps)
    below = _bounds(below_zero, below_one, zeros, ones, interval, alpha, floor, delta, steps)
    complement = bool(below.max() > above.max())
    best = below if complement else above
    # All −inf (too few draws for the floor): any set is as good; take the middle one.
    at = int(best.argmax()) if np.isfinite(best.max()) else len(cuts) // 2
    return float(cuts[at]), complement


def count_hits(
    scores: FloatArray, labels: IntArray, threshold: float, *, complement: bool
) -> tuple[int, int, int, int]:
    """Return hits, false hits, trials and false trials of S on these draws.

    >>> count_hits(np.array([1.0, 3.0, 0.0]), np.array([1, 1, 0]), 2.0, complement=False)
    (1, 0, 2, 1)
    """
    inside = scores <= threshold if complement else scores > threshold
    own = labels == (0 if complement else 1)
    return int((inside & own).sum()), int((inside & ~own).sum()), int(own.sum()), int((~own).sum())


def _cumulative_counts(scores: FloatArray, labels: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Return every distinct score and how many draws of each label lie at or below it."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    last = np.append(ordered[1:] != ordered[:-1], [True])
    ones = np.cumsum(labels[order])
    zeros = np.arange(1, len(scores) + 1) - ones
    return ordered[last], ones[last], zeros[last]


def _bounds(
    hits: IntArray,
    false_hits: IntArray,
    trials: int,
    false_trials: int,
    interval: Interval,
    alpha: float,
    floor: float,
    delta: float,
    steps: int,
) -> FloatArray:
    def log_ratio_at(shift: FloatArray | float) -> FloatArray:
        return interval.log_ratio(hits, false_hits, trials, false_trials, alpha, shift)

    bounds = epsilon_per_step(log_ratio_at, delta, steps)
    return np.where(false_hits < floor * false_trials, -np.inf, bounds)
