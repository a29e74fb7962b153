"""Group privacy: the (ε, δ) of one neighbour step, applied to datasets that are k steps apart."""

from collections.abc import Callable

import numpy as np

from mlaudit.statistics.roots import crossing
from mlaudit.types.arrays import FloatArray

_TOLERANCE = 1e-10


def group_delta(epsilon: float | FloatArray, delta: float, steps: int) -> FloatArray:
    """Return δ_k(ε) = δ(e^{kε} − 1)/(e^ε − 1): the δ of datasets `steps` changes apart, infinite for huge ε.

    >>> float(group_delta(0.0, 1e-5, 4))
    4e-05
    >>> [round(float(value), 7) for value in group_delta(np.array([0.5, 1000.0]), 1e-5, 8)]
    [0.0008262, inf]
    """
    epsilon = np.asarray(epsilon, dtype=np.float64)
    if delta == 0.0 or steps == 1:
        return np.full(epsilon.shape, delta)
    # e^{(k−1)ε} taken out, so that no quotient of infinities remains.
    nonzero = np.where(epsilon == 0.0, 1.0, epsilon)
    with np.errstate(over="ignore"):
        growth = np.exp((steps - 1) * epsilon) * np.expm1(-steps * nonzero) / np.expm1(-nonzero)
    return np.asarray(delta * np.where(epsilon == 0.0, float(steps), growth))


def epsilon_per_step(
    log_ratio_at: Callable[[float | FloatArray], FloatArray],
    delta: float,
    steps: int,
) -> FloatArray:
    """Return the largest ε with kε ≤ log_ratio_at(δ_k(ε)): a bound for k steps turned into a bound for one step.

    `log_ratio_at(d)` is a lower confidence bound on ln((p₁ − d)/p₀), decreasing in d. With δ > 0, dividing it by k
    would give too large an ε, since δ_k grows with ε. If not even ε = 0 is refuted, the result is at most 0.

    >>> exact = lambda d: np.log((0.9 - np.minimum(d, 0.899)) / 0.01)
    >>> round(float(exact(0.01)) / 8, 3), round(float(epsilon_per_step(exact, 0.01, 8)), 4)
    (0.561, 0.4347)
    """
    if delta == 0.0 or steps == 1:
        return np.asarray(log_ratio_at(delta) / steps)
    at_zero = np.asarray(log_ratio_at(steps * delta), dtype=np.float64)
    refuted = at_zero > 0.0

    def implied(epsilon: FloatArray) -> FloatArray:
        total = log_ratio_at(group_delta(epsilon, delta, steps))
        return np.where(refuted, np.maximum(total, 0.0) / steps, 0.0)

    low, high = _bracket_fixed_point(implied, np.where(refuted, at_zero / steps, 0.0))
    epsilon = crossing(lambda e: implied(e) - e, low, high, _TOLERANCE)
    return np.where(refuted, epsilon, at_zero / steps)


def _bracket_fixed_point(
    implied: Callable[[FloatArray], FloatArray], high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Bracket the fixed point of a decreasing function: its value at one end bounds the other end.

    For the usual tiny δ this converges by itself after a few evaluations, which matters: some intervals take a tenth
    of a second for each.
    """
    low = implied(high)
    for _ in range(3):
        if np.all(high - low <= _TOLERANCE):
            break
        high = implied(low)
        low = implied(high)
    return np.minimum(low, high), high
