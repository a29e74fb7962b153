"""Katz et al. (1978): normal approximation to the logarithm of the ratio."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from mlaudit.intervals._counts import check_counts
from mlaudit.types.arrays import FloatArray


@dataclass(frozen=True)
class KatzLog:
    """Katz log interval, used in the ML-Audit paper: approximate, and no bound without a false hit.

    Its exact one-sided error exceeds the nominal level slightly (about .052 for .05). Above z = 2.367, that is
    below alpha = .009, one more false hit can raise the bound.

    >>> round(float(KatzLog().log_ratio(300, 2, 500, 500, alpha=0.025)), 4)
    3.6257
    """

    def log_ratio(
        self,
        hits: ArrayLike,
        false_hits: ArrayLike,
        trials: int,
        false_trials: int,
        alpha: float,
        delta: float | FloatArray = 0.0,
    ) -> FloatArray:
        """Return a lower (1 − alpha) bound on ln((p₁ − δ)/p₀), by the delta method for δ > 0.

        >>> KatzLog().log_ratio([300, 300], [2, 0], 500, 500, alpha=0.05).round(4)
        array([3.8483,   -inf])
        """
        hits, false_hits, delta = check_counts(hits, false_hits, trials, false_trials, alpha, delta)
        p1, p0 = hits / trials, false_hits / false_trials
        excess = p1 - np.minimum(delta, 1.0)
        defined = (excess > 0.0) & (p0 > 0.0)
        excess, p0 = np.where(defined, excess, 1.0), np.where(defined, p0, 1.0)
        variance = p1 * (1.0 - p1) / (trials * excess**2) + (1.0 - p0) / (false_trials * p0)
        bound = np.log(excess / p0) + ndtri(alpha) * np.sqrt(variance)
        return np.where(defined, bound, -np.inf)
