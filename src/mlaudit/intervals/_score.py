"""The score statistic of H₀: p₁ = ρp₀ + d, and the counts it rejects."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from mlaudit.statistics.roots import smallest_reached
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_POLISHINGS = 3

Cubic: TypeAlias = tuple[float, FloatArray, FloatArray, FloatArray]


@dataclass(frozen=True)
class ScoreTest:
    """Score test of p₁ ≤ ρp₀ + d from two binomial counts; large values are evidence against it.

    >>> test = ScoreTest(trials=40, false_trials=40, rho=2.0, excess=0.0)
    >>> test.statistic(np.array([20, 10]), np.array([5, 5])).round(3)
    array([1.644, 0.   ])
    """

    trials: int
    false_trials: int
    rho: float
    excess: float

    @property
    def highest_p0(self) -> float:
        """The largest p₀ for which ρp₀ + d is still a probability.

        >>> ScoreTest(40, 40, 2.0, 0.5).highest_p0
        0.25
        """
        return min(1.0, (1.0 - self.excess) / self.rho)

    def p1(self, p0: FloatArray) -> FloatArray:
        """Return p₁ on the boundary of the null hypothesis.

        >>> ScoreTest(40, 40, 2.0, 0.1).p1(np.array([0.1, 0.45]))
        array([0.3, 1. ])
        """
        return np.asarray(np.minimum(self.rho * p0 + self.excess, 1.0))

    def statistic(self, hits: IntArray, false_hits: IntArray) -> FloatArray:
        """Return (p̂₁ − ρp̂₀ − d) over its standard deviation, estimated on the boundary.

        >>> ScoreTest(10, 10, 1.0, 0.0).statistic(np.array([10]), np.array([0])).round(3)
        array([4.472])
        """
        p0 = np.minimum(self._boundary_p0(hits, false_hits), self.highest_p0)
        p1 = self.p1(p0)
        variance = p1 * (1.0 - p1) / self.trials + self.rho**2 * p0 * (1.0 - p0) / self.false_trials
        difference = hits / self.trials - self.rho * false_hits / self.false_trials - self.excess
        degenerate = variance <= 1e-300
        scaled = difference / np.sqrt(np.where(degenerate, 1.0, variance))
        return np.where(degenerate & (difference != 0.0), np.copysign(np.inf, difference), scaled)

    def critical_hits(self, hits: int, false_hits: int, columns: IntArray) -> IntArray:
        """Return, for each number of false hits in `columns`, the fewest hits as extreme as those observed.

        `trials + 1` where none are.

        >>> ScoreTest(40, 40, 1.0, 0.0).critical_hits(20, 5, np.array([0, 5, 10, 35]))
        array([12, 20, 27, 41])
        """
        observed = float(self.statistic(np.array(hits), np.array(false_hits)))
        threshold = observed - 1e-10 * max(1.0, abs(observed)) if np.isfinite(observed) else observed

        def is_extreme(hits: IntArray) -> BoolArray:
            return np.asarray(self.statistic(np.clip(hits, 0, self.trials), columns) >= threshold)

        enough = smallest_reached(np.full_like(columns, -1), np.full_like(columns, self.trials + 1), is_extreme)
        # Rounding must never leave the observation itself out of its own rejection region.
        return np.where(columns == false_hits, np.minimum(enough, hits), enough)

    def _boundary_p0(self, hits: IntArray, false_hits: IntArray) -> FloatArray:
        """Return the maximum likelihood p₀ subject to p₁ = ρp₀ + d."""
        if self.excess == 0.0:
            return self._boundary_p0_of_ratio(hits, false_hits)
        return _middle_root(*self._likelihood_cubic(hits, false_hits), highest=self.highest_p0)

    def _likelihood_cubic(self, hits: IntArray, false_hits: IntArray) -> Cubic:
        """Return the coefficients of the derivative of the log likelihood, times p₀(1 − p₀)p₁(1 − p₁) > 0."""
        rho, d, N1, N0 = self.rho, self.excess, self.trials, self.false_trials
        above = rho * (hits - N1 * d)
        return (
            rho**2 * (N1 + N0),
            -above - rho**2 * (N1 + false_hits) - N0 * rho * (1.0 - 2.0 * d),
            above + false_hits * rho * (1.0 - 2.0 * d) - N0 * d * (1.0 - d),
            np.asarray(false_hits * d * (1.0 - d), dtype=np.float64),
        )

    def _boundary_p0_of_ratio(self, hits: IntArray, false_hits: IntArray) -> FloatArray:
        """Return the same for d = 0, where the equation is quadratic."""
        a = (self.trials + self.false_trials) * self.rho
        b = hits + false_hits * self.rho + self.trials * self.rho + self.false_trials
        c = hits + false_hits
        return np.asarray(2.0 * c / (b + np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))))


def _middle_root(a: float, b: FloatArray, c: FloatArray, e: FloatArray, highest: float) -> FloatArray:
    """Return the middle root of ax³ + bx² + cx + e: the derivative is ≥ 0 at 0 and ≤ 0 at `highest`, and a > 0."""
    shift = b / (3.0 * a)
    spread = np.sqrt(np.maximum(shift**2 - c / (3.0 * a), 0.0))
    offset = shift**3 - shift * c / (2.0 * a) + e / (2.0 * a)
    ratio = -offset / np.maximum(spread**3, 1e-300)
    angle = (np.arccos(np.clip(ratio, -1.0, 1.0)) - 2.0 * np.pi) / 3.0
    root = np.clip(2.0 * spread * np.cos(angle) - shift, 0.0, highest)
    # The arccosine halves the digits of close roots; Newton gives them back.
    for _ in range(_POLISHINGS):
        value, slope = ((a * root + b) * root + c) * root + e, (3.0 * a * root + 2.0 * b) * root + c
        root = np.clip(root - value / np.where(slope == 0.0, np.inf, slope), 0.0, highest)
    return np.asarray(root)
