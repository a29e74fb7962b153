"""A Clopper-Pearson limit for each of the two datasets, with alpha divided between them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.intervals._counts import check_counts
from mlaudit.statistics.binomial import lower_table, upper_table
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import real


@dataclass(frozen=True)
class ClopperPearson:
    """Clopper-Pearson limits for both datasets, alpha/2 each: valid but conservative (true error about .02 for .05).

    `share` is the part of alpha spent on the hits.

    >>> round(float(ClopperPearson().log_ratio(300, 2, 500, 500, alpha=0.05)), 4)
    3.6546
    """

    share: float = 0.5

    def __post_init__(self) -> None:
        real("share", self.share, 0, 1)

    def log_ratio(
        self,
        hits: ArrayLike,
        false_hits: ArrayLike,
        trials: int,
        false_trials: int,
        alpha: float,
        delta: float | FloatArray = 0.0,
    ) -> FloatArray:
        """Return a lower (1 − alpha) bound on ln((p₁ − δ)/p₀).

        >>> ClopperPearson().log_ratio([0, 500], 0, 500, 500, alpha=0.05, delta=0.01).round(4)
        array([  -inf, 4.8955])
        """
        hits, false_hits, delta = check_counts(hits, false_hits, trials, false_trials, alpha, delta)
        p1 = lower_table(trials, self.share * alpha)[hits]
        p0 = upper_table(false_trials, (1.0 - self.share) * alpha)[false_hits]
        excess = p1 - np.minimum(delta, 1.0)
        defined = excess > 0.0
        return np.where(defined, np.log(np.where(defined, excess, 1.0) / p0), -np.inf)
