"""The bound that guesses promise: what as many further guesses as will be counted would show."""

import numpy as np
from scipy.special import betaincinv, logit

from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

FRACTIONS = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0)  # prefixes of the nested scan
CAUTION = 0.05  # quantile of the posterior of an accuracy that is taken for it: few guesses must not win by luck
_PER_PREFIX = 7.0  # a scan over 13 prefixes costs about as much as a seventh of alpha at the best prefix
_SMALLEST = 30  # guesses below which the accuracy of a prefix is ignored


def rank_right_guesses(scores: FloatArray, labels: IntArray) -> BoolArray:
    """Return which guesses are right, the most confident first; ties stay in the order of drawing.

    >>> rank_right_guesses(np.array([0.1, -3.0, 2.0]), np.array([0, 0, 1])).tolist()
    [True, True, False]
    """
    order = np.argsort(-np.abs(scores), kind="stable")
    return np.asarray(((scores > 0) == (labels == 1))[order])


def prefix_sizes(n: int, fractions: FloatArray) -> IntArray:
    """Return the number of guesses in each prefix, fixed before any output is seen."""
    return np.floor(fractions * n + 0.5).astype(np.int64)


def projected_bound(
    scores: FloatArray,
    labels: IntArray,
    counted: int,
    alpha: float,
    leak: float = 0.0,
    caution: float = CAUTION,
    fractions: tuple[float, ...] = FRACTIONS,
) -> float:
    """The bound on kε that `counted` further guesses as accurate as these would show; an estimate, never a result.

    A training reveals its label with probability `leak` because of δ, and such right guesses do not count. If δ could
    explain all of them, the value is negative.

    >>> sure = projected_bound(np.array([5.0, -5.0] * 50), np.array([1, 0] * 50), 1000, 0.05)
    >>> unsure = projected_bound(np.array([5.0, -5.0] * 50), np.array([1, 1, 0, 0] * 25), 1000, 0.05)
    >>> sure > 2 > 0 == unsure
    True
    """
    sizes = prefix_sizes(len(scores), np.array(fractions))
    sizes = sizes[sizes >= min(_SMALLEST, len(scores))]
    right = np.cumsum(rank_right_guesses(scores, labels))[sizes - 1]
    accuracy = betaincinv(right + 0.5, sizes - right + 0.5, caution)
    future = np.maximum(counted * sizes / len(scores), 1.0)
    free = leak * counted
    if free >= future[-1]:
        return -1.0
    right_then, wrong_then = np.maximum(accuracy * future - free, 1e-9), (1 - accuracy) * future
    return max(0.0, float(logit(betaincinv(right_then, wrong_then + 1, alpha / _PER_PREFIX)).max()))
