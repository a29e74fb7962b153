"""The interval from inverting the exact unconditional test of two binomials."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.intervals._counts import check_counts
from mlaudit.intervals._score import ScoreTest
from mlaudit.intervals.mover_cp import MoverCP, mover_bound
from mlaudit.statistics.binomial import lower_limit, upper_limit, window, windowed_masses
from mlaudit.statistics.roots import crossing, retreat
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import real

_NEGLIGIBLE = 1e-18
_FIRST_STEP = 0.01
# The largest share by which a p-value lies below that of a smaller ε, for one draw and at most: 9 % were measured for
# 30 draws on each side. And the p-values that are taken below a bound.
_FALL, _LARGEST_FALL = 8.0, 0.25
_LOOKS, _FEWEST_LOOKS, _MOST_LOOKS = 2000, 8, 24
_TOGETHER = 16  # points of a grid over p₀ whose binomials share a window
# Peaks of a grid that are refined, by how many grids of how many points: to 0.05 % of the width of a peak.
_PEAKS, _FINER, _POINTS = 3, 7, 5


@dataclass(frozen=True)
class Exact:
    """Exact unconditional test, ordered by the score statistic: its error is at most alpha.

    The p-value is maximised over the nuisance p₀ in its Berger-Boos interval at γ = alpha · `gamma_share`; with 0,
    over all p₀. One bound takes a tenth to a quarter of a second; use `search` to scan thresholds.

    >>> round(float(Exact().log_ratio(100, 20, 500, 500, alpha=0.05)), 3)
    1.229
    """

    gamma_share: float = 0.001

    def __post_init__(self) -> None:
        real("gamma_share", self.gamma_share, 0, 1, closed_low=True)

    @property
    def search(self) -> MoverCP:
        """The faster interval for scanning many thresholds.

        >>> Exact().search
        MoverCP()
        """
        return MoverCP()

    def log_ratio(
        self,
        hits: ArrayLike,
        false_hits: ArrayLike,
        trials: int,
        false_trials: int,
        alpha: float,
        delta: float | FloatArray = 0.0,
    ) -> FloatArray:
        """Return a lower (1 − alpha) bound on ln((p₁ − δ)/p₀); −inf where not even 0 is refuted.

        >>> Exact().log_ratio([50, 5], [0, 5], 500, 500, alpha=0.05).round(3)
        array([2.998,  -inf])
        """
        hits, false_hits, delta = check_counts(hits, false_hits, trials, false_trials, alpha, delta)
        gamma = alpha * self.gamma_share
        starts = mover_bound(hits, false_hits, trials, false_trials, alpha, delta)
        draws = trials + false_trials
        cells = np.broadcast(hits, false_hits, delta, starts)
        bounds = [
            _bound(partial(pvalue, n, m, trials, false_trials, delta=d, gamma=gamma), alpha, start, draws)
            for n, m, d, start in cells
        ]
        return np.array(bounds).reshape(cells.shape)


def _bound(pvalue_at: Callable[[float], float], alpha: float, start: float, draws: int) -> float:
    """Return the last ε ≥ 0 up to which all are refuted, searched outwards from `start`; −inf if 0 is not refuted."""
    pvalue_at = cache(pvalue_at)
    low = high = max(start, 0.0)
    step = _FIRST_STEP
    if pvalue_at(low) <= alpha:
        while pvalue_at(high := high + step) <= alpha:
            low, step = high, 2.0 * step
    else:
        while pvalue_at(low := max(low - step, 0.0)) > alpha:
            if low == 0.0:
                return -np.inf
            high, step = low, 2.0 * step
    margin = np.vectorize(lambda e: np.log(alpha / max(pvalue_at(float(e)), 1e-300)), otypes=[np.float64])
    edge = float(crossing(margin, np.array(low), np.array(high), tolerance=1e-7))
    looks = max(_FEWEST_LOOKS, min(_MOST_LOOKS, _LOOKS // draws))
    found = retreat(pvalue_at, alpha, edge, fall=min(_LARGEST_FALL, _FALL / draws), looks=looks)
    return found if found > 0.0 or pvalue_at(0.0) <= alpha else -np.inf


def pvalue(
    hits: int,
    false_hits: int,
    trials: int,
    false_trials: int,
    epsilon: float,
    delta: float = 0.0,
    gamma: float = 0.0,
) -> float:
    """Return the p-value of p₁ ≤ e^ε p₀ + δ: γ plus the largest tail over p₀ in its (1 − γ) interval.

    >>> round(pvalue(20, 5, 40, 40, epsilon=0.5), 6)
    0.016245
    """
    if delta >= 1.0:
        return 1.0
    test = ScoreTest(trials, false_trials, float(np.exp(epsilon)), float(delta))
    if test.statistic(np.array(hits), np.array(false_hits)) <= 0.0:
        return 1.0
    low, high = _nuisance_interval(test, false_hits, gamma)
    if low >= high:
        return gamma
    first, last = window(false_trials, low, _NEGLIGIBLE)[0], window(false_trials, high, _NEGLIGIBLE)[1]
    critical = test.critical_hits(hits, false_hits, np.arange(first, last + 1))

    def tails_at(p0: FloatArray) -> FloatArray:
        return _rejection_probabilities(test, critical, first, p0)

    return min(1.0, gamma + _maximise_tail(tails_at, test, low, high))


def _nuisance_interval(test: ScoreTest, false_hits: int, gamma: float) -> tuple[float, float]:
    """Return the ends of the interval over which p₀ is maximised."""
    if gamma == 0.0:
        return 0.0, test.highest_p0
    low = float(lower_limit(false_hits, test.false_trials, gamma / 2.0))
    return low, min(test.highest_p0, float(upper_limit(false_hits, test.false_trials, gamma / 2.0)))


def _rejection_probabilities(test: ScoreTest, critical: IntArray, first: int, p0: FloatArray) -> FloatArray:
    """Return the probability of the rejection region at each p₀ on the boundary of the null hypothesis."""
    start0, mass0 = windowed_masses(test.false_trials, p0, _NEGLIGIBLE)
    start1, mass1 = windowed_masses(test.trials, test.p1(p0), _NEGLIGIBLE)
    at_least = np.zeros((len(p0), mass1.shape[1] + 1))
    at_least[:, :-1] = np.cumsum(mass1[:, ::-1], axis=1)[:, ::-1]
    needed = critical[start0 - first : start0 - first + mass0.shape[1]] - start1
    reached = at_least[:, np.clip(needed, 0, mass1.shape[1])]
    return np.asarray(np.einsum("gm,gm->g", mass0, reached))


def _maximise_tail(tails_at: Callable[[FloatArray], FloatArray], test: ScoreTest, low: float, high: float) -> float:
    """Return the maximum over [low, high]: on a grid even in arcsine scale, with its three best peaks refined."""
    scale = test.highest_p0
    start, stop = np.arcsin(np.sqrt(np.minimum(np.array([low, high]) / scale, 1.0)))
    cells = max(12, int((stop - start) * np.sqrt(max(test.trials, test.false_trials)) * 2.5))
    angles = np.linspace(start, stop, cells + 1)

    def at(angles: FloatArray) -> FloatArray:
        return tails_at(np.clip(scale * np.sin(angles) ** 2, low, high))

    parts = np.array_split(angles, -(-len(angles) // _TOGETHER))
    values = np.concatenate([at(part) for part in parts])
    padded = np.concatenate([[-1.0], values, [-1.0]])
    peaks = np.flatnonzero((values >= padded[:-2]) & (values >= padded[2:]))
    best = peaks[np.argsort(values[peaks])[-_PEAKS:]]
    # Without refinement the p-value is up to .004 too small.
    return max(float(values.max()), _refine(at, angles[np.maximum(best - 1, 0)], angles[np.minimum(best + 1, cells)]))


def _refine(values_at: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray) -> float:
    """Return the largest value inside of brackets around peaks, by finer and finer grids."""
    each, highest = np.arange(len(low)), 0.0
    for _ in range(_FINER):
        points = np.linspace(low, high, _POINTS + 2, axis=1)
        values = values_at(points[:, 1:-1].ravel()).reshape(len(low), _POINTS)
        best, highest = values.argmax(axis=1), max(highest, float(values.max()))
        low, high = points[each, best], points[each, best + 2]
    return highest
