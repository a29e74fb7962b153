"""Exact p-values of a scan over nested sets of guesses, the surest first.

Labels are fair coins, so under (kε)-DP each guess is right with probability at most q = e^{kε}/(1 + e^{kε}) whatever
came before. The counts of right guesses at the looks r₁ ≤ … ≤ r_K are then dominated by one Bernoulli(q) walk.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from mlaudit.intervals._binomial import critical_count, lower_limit, tail, windowed_mass
from mlaudit.privacy import group_delta
from mlaudit.types.arrays import FloatArray, IntArray

# A look as rare as the observed one counts as equal to it in spite of rounding.
_TIE = 1.0 + 1e-12
# Mass dropped at each look, relative to the level of a look.
_DROPPED = 1e-14
_SMALLEST = 1e-280
_ALLOWANCE_SHARE = 1 / 50
_USUAL_TOTAL = 2.2
_TOLERANCE = 1e-7


def level(guesses: ArrayLike, q: float, per_look: float) -> float:
    """Return the probability that a Bernoulli(q) walk is ever as high as has probability `per_look` at that look.

    A forward convolution: at each look the mass beyond the critical count is taken out, and counted.

    >>> round(level([100, 200, 400, 800], expit(0.5), 0.02), 6)
    0.051465
    """
    looks = np.asarray(guesses, dtype=np.int64)
    floor = max(per_look, _SMALLEST) * _DROPPED
    first, mass, rejected = 0, np.ones(1), 0.0
    for draws, critical in zip(np.diff(looks, prepend=0), critical_count(looks, q, per_look), strict=True):
        start, steps = windowed_mass(int(draws), q, floor)
        first, mass = first + start, np.convolve(mass, steps)
        kept = max(int(critical) - first, 0)
        rejected += float(mass[kept:].sum())
        first, mass = _trimmed(first, mass[:kept], floor)
    return min(rejected, 1.0)


def _trimmed(first: int, mass: FloatArray, floor: float) -> tuple[int, FloatArray]:
    """Drop negligible ends; a walk of which nothing is left goes on with no mass."""
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
    """Return the p-value of ε per step from `correct` of `guesses` at each look, the last look holding every draw.

    For δ > 0 each draw gives its label away with probability at most δ_k. More than `allowance` of them do so with
    a probability that is added; up to that many are taken off every look as guesses that were bound to be right.

    >>> round(pvalue([50, 90], [50, 100], 1.0), 10)
    2.442e-07
    >>> pvalue([50, 90], [50, 100], 1.0, delta=1e-5, allowance=1) > 2.442e-07
    True
    """
    right, looks = _counts(correct, guesses)
    leak = _leak(int(looks[-1]), epsilon, delta, steps, allowance)
    right, looks = np.maximum(right - allowance, 0), np.maximum(looks - allowance, 0)
    q = float(expit(steps * epsilon))
    rarest = float(tail(right, looks, q).min())
    if rarest >= 1.0:
        return 1.0
    if rarest < _SMALLEST:
        return min(1.0, leak + len(looks) * _SMALLEST)
    return min(1.0, leak + level(looks, q, rarest * _TIE))


def lower(
    correct: ArrayLike,
    guesses: ArrayLike,
    alpha: float,
    *,
    delta: float = 0.0,
    steps: int = 1,
    allowance: int = 0,
) -> float:
    """Return a lower (1 − alpha) bound on the ε of one step; 0 when not even ε = 0 is refuted.

    The p-value rises with ε but for small falls where a critical count changes, so that more than one ε can sit on
    the edge. Bisection from 0 over fixed points picks the same one whatever bracket spares it evaluations.

    >>> round(lower([50, 90], [50, 100], 0.05), 5)
    2.74019
    >>> lower([25, 50], [50, 100], 0.05)
    0.0
    """
    right, looks = _counts(correct, guesses)
    surely, hardly = _bracket(right, looks, alpha, delta, steps, allowance)

    def refuted(total: float) -> bool:
        if total <= surely or total >= hardly:
            return total <= surely
        p = pvalue(right, looks, total / steps, delta=delta, steps=steps, allowance=allowance)
        return p <= alpha

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 0.5
    while refuted(high):
        low, high = high, 1.6 * high
    while high - low > _TOLERANCE:
        middle = (low + high) / 2.0
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low / steps


def ceiling(guesses: ArrayLike, alpha: float, *, delta: float = 0.0, steps: int = 1, allowance: int = 0) -> float:
    """Return the highest bound `lower` can give: every guess right.

    >>> round(ceiling([1000], 0.05), 4)
    5.8091
    """
    return lower(guesses, guesses, alpha, delta=delta, steps=steps, allowance=allowance)


def allowance(draws: int, delta: float, *, alpha: float = 0.05, steps: int = 1, epsilon: float | None = None) -> int:
    """Return how many given-away labels to allow for: the fewest exceeded with probability at most alpha/50.

    Every choice made beforehand is valid; this one is cheap on both sides. Exceeding it costs at most a fiftieth of
    alpha, which moves a bound by less than a hundredth of its standard error, while each label allowed for costs
    one right guess at every look, and the smallest looks have few. With δ > 0 it is at least 1, so that the added
    probability is of second order in nδ; without δ nothing is given away, and it is 0. It depends on the design
    only: δ_k is evaluated at the claimed `epsilon`, never at an estimate; without a claim at kε = 2.2, the distance k
    is chosen for. With steps = 1 neither matters.

    >>> allowance(36_000, 0.0), allowance(1800, 1e-5), allowance(36_000, 1e-5)
    (0, 1, 3)
    """
    if delta == 0.0:
        return 0
    expected = _USUAL_TOTAL / steps if epsilon is None else epsilon
    leaking = min(1.0, float(group_delta(expected, delta, steps)))
    return max(1, int(critical_count(draws, leaking, alpha * _ALLOWANCE_SHARE)) - 1)


def _counts(correct: ArrayLike, guesses: ArrayLike) -> tuple[IntArray, IntArray]:
    right, looks = np.asarray(correct, dtype=np.int64), np.asarray(guesses, dtype=np.int64)
    if right.shape != looks.shape or right.ndim != 1 or not right.size:
        raise ValueError("Give as many correct counts as looks, and at least one of each.")
    if np.any(np.diff(looks, prepend=0) < 0):
        raise ValueError(f"Looks must be nested, so their sizes cannot fall: {looks.tolist()}.")
    if np.any((right < 0) | (right > looks)):
        raise ValueError(f"Correct counts {right.tolist()} do not fit into looks of {looks.tolist()}.")
    return right, looks


def _leak(draws: int, epsilon: float, delta: float, steps: int, allowance: int) -> float:
    """Return the probability that more labels than allowed for are given away."""
    if delta == 0.0:
        return 0.0
    return float(tail(allowance + 1, draws, min(1.0, float(group_delta(epsilon, delta, steps)))))


def _bracket(
    right: IntArray, looks: IntArray, alpha: float, delta: float, steps: int, allowance: int
) -> tuple[float, float]:
    """Return a kε up to which all are refuted, and one from which none is.

    The scan's p-value lies between that of its rarest look and K times that.
    """
    right, draws = np.maximum(right - allowance, 0), int(looks[-1])
    looks = np.maximum(looks - allowance, 0)
    high = float(logit(lower_limit(right, looks, alpha)).max())
    left = (alpha - _leak(draws, max(high, 0.0) / steps, delta, steps, allowance)) / len(looks)
    low = float(logit(lower_limit(right, looks, left)).max()) if left > 0.0 else -np.inf
    # Rounding must not put a single look's own limit on the wrong side.
    return low - 1e-9, high + 1e-9
