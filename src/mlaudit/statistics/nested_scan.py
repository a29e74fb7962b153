"""Exact p-values of a scan over prefixes of the guesses, the most confident guesses first.

Labels are fair coins, so under (kε)-DP each guess is correct with probability at most q = e^{kε}/(1 + e^{kε}),
whatever happened before. The numbers of right guesses in the prefixes r₁ ≤ … ≤ r_K are then stochastically
dominated by one Bernoulli(q) walk.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from mlaudit.statistics.binomial import critical_count, lower_limit, tail, windowed_mass
from mlaudit.statistics.group_privacy import group_delta
from mlaudit.statistics.roots import largest_refuted, retreat
from mlaudit.types.arrays import FloatArray, IntArray

# A prefix as rare as the observed one counts as equal to it in spite of rounding.
_TIE = 1.0 + 1e-12
# Mass dropped at each prefix, relative to the level of one prefix.
_DROPPED = 1e-14
_SMALLEST = 1e-280
_ALLOWANCE_SHARE = 1 / 50
_USUAL_TOTAL = 2.2
_TOLERANCE = 1e-7
# The largest share by which a p-value lies below that of a smaller ε, for one draw and at most. Measured: 18 % for 60
# draws, 4.3 % for 200, 2.8 % for 600, 0.7 % for 1 800.
_FALL, _LARGEST_FALL = 20.0, 0.25
# p-values that are taken below a bound: for one draw, at least and at most.
_LOOKS, _FEWEST_LOOKS, _MOST_LOOKS = 4000, 8, 48


def level(guesses: ArrayLike, q: float, per_prefix: float) -> float:
    """Return the probability that some prefix of a Bernoulli(q) walk has a tail probability of at most `per_prefix`.

    A forward convolution: at each prefix the mass at or beyond the critical count is removed and added up.

    >>> round(level([100, 200, 400, 800], expit(0.5), 0.02), 6)
    0.051465
    """
    prefixes = np.asarray(guesses, dtype=np.int64)
    floor = max(per_prefix, _SMALLEST) * _DROPPED
    first, mass, rejected = 0, np.ones(1), 0.0
    for draws, critical in zip(np.diff(prefixes, prepend=0), critical_count(prefixes, q, per_prefix), strict=True):
        start, steps = windowed_mass(int(draws), q, floor)
        first, mass = first + start, np.convolve(mass, steps)
        kept = max(int(critical) - first, 0)
        rejected += float(mass[kept:].sum())
        first, mass = _trim(first, mass[:kept], floor)
    return min(rejected, 1.0)


def _trim(first: int, mass: FloatArray, floor: float) -> tuple[int, FloatArray]:
    """Drop negligible mass at both ends; if nothing is left, continue with zero mass."""
    kept = np.flatnonzero(mass > floor)
    if not len(kept):
        return first, np.zeros(1)
    return first + int(kept[0]), mass[kept[0] : kept[-1] + 1]


def pvalue(
    correct: ArrayLike,
    guesses: ArrayLike,
    epsilon: float,
    *,
    delta: float = 0.0,
    steps: int = 1,
    allowance: int = 0,
) -> float:
    """Return the p-value of ε per step from `correct` of `guesses` in each prefix; the last prefix holds every draw.

    For δ > 0 each draw reveals its label with probability at most δ_k. The probability that more than `allowance`
    draws do so is added to the p-value; that many right guesses are subtracted from every prefix.

    >>> round(pvalue([50, 90], [50, 100], 1.0), 10)
    2.442e-07
    >>> pvalue([50, 90], [50, 100], 1.0, delta=1e-5, allowance=1) > 2.442e-07
    True
    """
    right, prefixes = _check_counts(correct, guesses)
    leak = leak_probability(int(prefixes[-1]), epsilon, delta, steps, allowance)
    right, prefixes = np.maximum(right - allowance, 0), np.maximum(prefixes - allowance, 0)
    q = float(expit(steps * epsilon))
    rarest = float(tail(right, prefixes, q).min())
    if rarest >= 1.0:
        return 1.0
    if rarest < _SMALLEST:
        return min(1.0, leak + len(prefixes) * _SMALLEST)
    return min(1.0, leak + level(prefixes, q, rarest * _TIE))


def lower_bound(
    correct: ArrayLike,
    guesses: ArrayLike,
    alpha: float,
    *,
    delta: float = 0.0,
    steps: int = 1,
    allowance: int = 0,
) -> float:
    """Return a lower (1 − alpha) bound on the ε of one step; 0 when not even ε = 0 is refuted.

    The p-value rises with ε, except for small falls where a critical count changes, so several ε can have the p-value
    alpha. Bisection from 0 over fixed points finds the same one whatever bracket saves evaluations. If an ε below it
    is not refuted, the bound is moved down to the first such ε.

    >>> round(lower_bound([50, 90], [50, 100], 0.05), 5)
    2.74019
    >>> lower_bound([25, 50], [50, 100], 0.05)
    0.0
    """
    right, prefixes = _check_counts(correct, guesses)
    surely, hardly = _bracket(right, prefixes, alpha, delta, steps, allowance)

    def pvalue_at(total: float) -> float:
        return pvalue(right, prefixes, total / steps, delta=delta, steps=steps, allowance=allowance)

    def is_refuted(total: float) -> bool:
        if total <= surely or total >= hardly:
            return total <= surely
        return pvalue_at(total) <= alpha

    total = largest_refuted(is_refuted, 0.5, tolerance=_TOLERANCE, relative=False, growth=1.6)
    draws = max(int(prefixes[-1]), 1)
    fall, looks = min(_LARGEST_FALL, _FALL / draws), max(_FEWEST_LOOKS, min(_MOST_LOOKS, _LOOKS // draws))
    return retreat(pvalue_at, alpha, total, fall=fall, looks=looks) / steps


def ceiling(guesses: ArrayLike, alpha: float, *, delta: float = 0.0, steps: int = 1, allowance: int = 0) -> float:
    """Return the largest value of `lower_bound`: every guess correct.

    Nothing else is as rare as that, and no shorter prefix can be, so its p-value is the probability of it alone.

    >>> round(ceiling([1000], 0.05), 4)
    5.8091
    """
    draws = int(_check_counts(guesses, guesses)[1][-1])
    counted = max(draws - allowance, 0)

    def is_refuted(total: float) -> bool:
        leak = leak_probability(draws, total / steps, delta, steps, allowance)
        return leak + float(expit(total)) ** counted <= alpha

    return largest_refuted(is_refuted, 0.5, tolerance=_TOLERANCE, relative=False, growth=1.6) / steps


def allowance(draws: int, delta: float, *, alpha: float = 0.05, steps: int = 1, epsilon: float | None = None) -> int:
    """Return how many revealed labels to allow for: the smallest number exceeded with probability at most alpha/50.

    Any number that is fixed beforehand is valid. This one costs little: exceeding it adds at most a fiftieth of
    alpha, which moves a bound by less than a hundredth of its standard error, while each revealed label costs one
    right guess in every prefix, and the smallest prefixes have few. With δ > 0 it is at least 1, so that the added
    probability is of second order in nδ. With δ = 0 no label is revealed, and it is 0.

    It depends on the design alone: δ_k is evaluated at the claimed `epsilon`, never at an estimate. Without a claim,
    it is evaluated at kε = 2.2, for which k is usually chosen. With steps = 1 neither matters.

    >>> allowance(36_000, 0.0), allowance(1800, 1e-5), allowance(36_000, 1e-5)
    (0, 1, 3)
    """
    if delta == 0.0:
        return 0
    expected = _USUAL_TOTAL / steps if epsilon is None else epsilon
    leaking = min(1.0, float(group_delta(expected, delta, steps)))
    return max(1, int(critical_count(draws, leaking, alpha * _ALLOWANCE_SHARE)) - 1)


def _check_counts(correct: ArrayLike, guesses: ArrayLike) -> tuple[IntArray, IntArray]:
    right, prefixes = np.asarray(correct, dtype=np.int64), np.asarray(guesses, dtype=np.int64)
    if right.shape != prefixes.shape or right.ndim != 1 or not right.size:
        raise ValueError("Give as many correct counts as prefixes, and at least one of each.")
    if np.any(np.diff(prefixes, prepend=0) < 0):
        raise ValueError(f"Prefixes must be nested, so their sizes cannot fall: {prefixes.tolist()}.")
    if np.any((right < 0) | (right > prefixes)):
        raise ValueError(f"Correct counts {right.tolist()} do not fit into prefixes of {prefixes.tolist()}.")
    return right, prefixes


def leak_probability(draws: int, epsilon: float, delta: float, steps: int, allowance: int) -> float:
    """Return the probability that more labels are revealed than allowed for."""
    if delta == 0.0:
        return 0.0
    return float(tail(allowance + 1, draws, min(1.0, float(group_delta(epsilon, delta, steps)))))


def _bracket(
    right: IntArray, prefixes: IntArray, alpha: float, delta: float, steps: int, allowance: int
) -> tuple[float, float]:
    """Return a kε up to which every value is refuted, and one from which none is.

    The scan's p-value lies between that of its rarest prefix and K times as much.
    """
    right, draws = np.maximum(right - allowance, 0), int(prefixes[-1])
    prefixes = np.maximum(prefixes - allowance, 0)
    high = float(logit(lower_limit(right, prefixes, alpha)).max())
    left = (alpha - leak_probability(draws, max(high, 0.0) / steps, delta, steps, allowance)) / len(prefixes)
    low = float(logit(lower_limit(right, prefixes, left)).max()) if left > 0.0 else -np.inf
    # Rounding must not put the limit of a single prefix on the wrong side.
    return low - 1e-9, high + 1e-9
