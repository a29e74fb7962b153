"""Exact p-values of a scan over prefixes of the guesses, the most confident guesses first.

Labels are fair coins, so under (kε)-DP each guess is correct with probability at most q = e^{kε}/(1 + e^{kε}),
whatever happened before. The numbers of right guesses in the prefixes r₁ ≤ … ≤ r_K are then stochastically
dominated by one Bernoulli(q) walk W.

With δ > 0 each training reveals its label with probability at most δ_k, independently of the others, and behaves as
under (kε)-DP otherwise (Kairouz, Oh and Viswanath 2015). If L trainings reveal theirs, prefix j has at most
L + W(r_j − L) right guesses, and all r_j if L > r_j: no place of the revealed labels gives more than the front. L is
Bin(n, δ_k) at most, so the p-value is the mean over L.
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
# Numbers of revealed labels are left out if even more are this unlikely; that probability is added to a p-value.
_BEYOND = 1e-12
_TOLERANCE = 1e-7
# The largest share by which a p-value lies below that of a smaller ε, for one draw and at most. Measured: 18 % for 60
# draws, 4.3 % for 200, 2.8 % for 600, 0.7 % for 1 800.
_FALL, _LARGEST_FALL = 20.0, 0.25
# p-values that are taken below a bound: for one draw, at least and at most.
_LOOKS, _FEWEST_LOOKS, _MOST_LOOKS = 4000, 8, 48
_NOTHING_REVEALED = np.ones(1)


def level(guesses: ArrayLike, q: float, per_prefix: float, revealed: FloatArray = _NOTHING_REVEALED) -> float:
    """Return the probability that some prefix of a Bernoulli(q) walk has a tail probability of at most `per_prefix`.

    A forward convolution: at each prefix the mass at or beyond the critical count is removed and added up. `revealed`
    has the probability of 0, 1, 2, … revealed labels, which are right guesses in front of the walk.

    >>> round(level([100, 200, 400, 800], expit(0.5), 0.02), 6)
    0.051465
    >>> round(level([100, 200, 400, 800], expit(0.5), 0.02, np.array([0.9, 0.1])), 6)
    0.052032
    """
    prefixes = np.asarray(guesses, dtype=np.int64)
    floor = max(per_prefix, _SMALLEST) * _DROPPED
    first, mass, rejected, done, before = 0, np.zeros(1), 0.0, 0, 0
    for size, critical in zip(prefixes.tolist(), critical_count(prefixes, q, per_prefix).tolist(), strict=True):
        start, steps = windowed_mass(size - before, q, floor)
        first, mass = first + start, np.convolve(mass, steps)
        # So many revealed labels fill this prefix for the first time: the walk begins behind them.
        for labels in range(done, min(size, len(revealed) - 1) + 1):
            start, steps = windowed_mass(size - labels, q, floor)
            first, mass = _add(first, mass, labels + start, revealed[labels] * steps)
        done, before = max(done, min(size + 1, len(revealed))), size
        kept = max(critical - first, 0)
        rejected += float(mass[kept:].sum())
        first, mass = _trim(first, mass[:kept], floor)
        if size >= critical:  # and labels that fill more than this prefix fill it, too
            rejected, done = rejected + float(revealed[done:].sum()), len(revealed)
    return min(rejected, 1.0)


def _add(first: int, mass: FloatArray, start: int, more: FloatArray) -> tuple[int, FloatArray]:
    """Add two masses that begin at different counts."""
    low, high = min(first, start), max(first + len(mass), start + len(more))
    total = np.zeros(high - low)
    total[first - low : first - low + len(mass)] = mass
    total[start - low : start - low + len(more)] += more
    return low, total


def _trim(first: int, mass: FloatArray, floor: float) -> tuple[int, FloatArray]:
    """Drop negligible mass at both ends; if nothing is left, continue with zero mass."""
    kept = np.flatnonzero(mass > floor)
    if not len(kept):
        return first, np.zeros(1)
    return first + int(kept[0]), mass[kept[0] : kept[-1] + 1]


def pvalue(correct: ArrayLike, guesses: ArrayLike, epsilon: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return the p-value of (ε, δ) per step from `correct` of `guesses` in each prefix; the last holds every draw.

    >>> round(pvalue([50, 90], [50, 100], 1.0), 10)
    2.442e-07
    >>> pvalue([50, 90], [50, 100], 1.0, delta=1e-5) > 2.442e-07
    True
    """
    right, prefixes = _check_counts(correct, guesses)
    rarest = float(tail(right, prefixes, float(expit(steps * epsilon))).min())
    return pvalue_of_rarest(rarest, prefixes, epsilon, delta=delta, steps=steps)


def pvalue_of_rarest(
    rarest: float, guesses: ArrayLike, epsilon: float, *, delta: float = 0.0, steps: int = 1
) -> float:
    """Return the p-value of (ε, δ) if the rarest prefix alone, without any revealed label, is so rare.

    >>> round(pvalue_of_rarest(0.01, [50, 100], 1.0), 4)
    0.0145
    """
    prefixes = np.asarray(guesses, dtype=np.int64)
    if rarest >= 1.0:
        return 1.0
    revealed, beyond = _revealed_labels(int(prefixes[-1]), leak_probability(epsilon, delta, steps))
    if rarest < _SMALLEST and delta == 0.0:
        return min(1.0, len(prefixes) * _SMALLEST)
    common = max(rarest, _SMALLEST) * _TIE
    return min(1.0, beyond + level(prefixes, float(expit(steps * epsilon)), common, revealed))


def _revealed_labels(draws: int, each: float) -> tuple[FloatArray, float]:
    """Return the probabilities of 0, 1, 2, … revealed labels, and that of more."""
    if each == 0.0:
        return _NOTHING_REVEALED, 0.0
    most = min(int(critical_count(draws, each, _BEYOND)), draws + 1) - 1
    at_least = tail(np.arange(most + 2), draws, each)
    return np.maximum(-np.diff(at_least), 0.0), float(at_least[-1])


def lower_bound(correct: ArrayLike, guesses: ArrayLike, alpha: float, *, delta: float = 0.0, steps: int = 1) -> float:
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
    surely, hardly = _bracket(right, prefixes, alpha, delta)

    def pvalue_at(total: float) -> float:
        return pvalue(right, prefixes, total / steps, delta=delta, steps=steps)

    def is_refuted(total: float) -> bool:
        if total <= surely or total >= hardly:
            return total <= surely
        return pvalue_at(total) <= alpha

    total = largest_refuted(is_refuted, 0.5, tolerance=_TOLERANCE, relative=False, growth=1.6)
    draws = max(int(prefixes[-1]), 1)
    fall, looks = min(_LARGEST_FALL, _FALL / draws), max(_FEWEST_LOOKS, min(_MOST_LOOKS, _LOOKS // draws))
    return retreat(pvalue_at, alpha, total, fall=fall, looks=looks) / steps


def ceiling(guesses: ArrayLike, alpha: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return the largest value of `lower_bound`: every guess correct.

    Nothing else is as rare as that, and no shorter prefix can be, so its p-value is the probability of it alone.

    >>> round(ceiling([1000], 0.05), 4)
    5.8091
    """
    draws = int(_check_counts(guesses, guesses)[1][-1])

    def is_refuted(total: float) -> bool:
        leak = leak_probability(total / steps, delta, steps)
        return float((leak + (1.0 - leak) * expit(total)) ** draws) <= alpha

    return largest_refuted(is_refuted, 0.5, tolerance=_TOLERANCE, relative=False, growth=1.6) / steps


def leak_probability(epsilon: float, delta: float, steps: int) -> float:
    """Return δ_k: the probability that a training reveals its label, at most.

    >>> leak_probability(1.0, 1e-5, 1), leak_probability(1.0, 0.0, 8)
    (1e-05, 0.0)
    """
    return min(1.0, float(group_delta(epsilon, delta, steps))) if delta else 0.0


def _check_counts(correct: ArrayLike, guesses: ArrayLike) -> tuple[IntArray, IntArray]:
    right, prefixes = np.asarray(correct, dtype=np.int64), np.asarray(guesses, dtype=np.int64)
    if right.shape != prefixes.shape or right.ndim != 1 or not right.size:
        raise ValueError("Give as many correct counts as prefixes, and at least one of each.")
    if np.any(np.diff(prefixes, prepend=0) < 0):
        raise ValueError(f"Prefixes must be nested, so their sizes cannot fall: {prefixes.tolist()}.")
    if np.any((right < 0) | (right > prefixes)):
        raise ValueError(f"Correct counts {right.tolist()} do not fit into prefixes of {prefixes.tolist()}.")
    return right, prefixes


def _bracket(right: IntArray, prefixes: IntArray, alpha: float, delta: float) -> tuple[float, float]:
    """Return a kε up to which every value is refuted, and one from which none is.

    The scan's p-value is at least that of its rarest prefix, and without δ at most K times as much.
    """
    high = float(logit(lower_limit(right, prefixes, alpha)).max())
    low = -np.inf if delta else float(logit(lower_limit(right, prefixes, alpha / len(prefixes))).max())
    # Rounding must not put the limit of a single prefix on the wrong side.
    return low - 1e-9, high + 1e-9
