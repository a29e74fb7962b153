"""An interval of your own: a lower bound on ln((p₁ − δ)/p₀) from two counts.

mlaudit check examples/my_interval.py:Walters
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from mlaudit.types.arrays import FloatArray, IntArray


@dataclass(frozen=True)
class Walters:
    """The Walters (1985) interval: Katz's with one half added to every count, so that n₀ = 0 is fine."""

    def log_ratio(
        self,
        hits: IntArray,
        false_hits: IntArray,
        trials: int,
        false_trials: int,
        alpha: float,
        delta: FloatArray | float = 0.0,
    ) -> FloatArray:
        """Vectorised over the counts."""
        x, y, m, n = hits + 0.5, false_hits + 0.5, trials + 0.5, false_trials + 0.5
        share = np.maximum(x / m - delta, 1e-300)
        bound = np.log(share) - np.log(y / n) + ndtri(alpha) * np.sqrt(1 / x - 1 / m + 1 / y - 1 / n)
        return np.where(x / m > delta, bound, -np.inf)
