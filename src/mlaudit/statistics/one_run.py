"""Privacy auditing with one training run (Steinke, Nasr and Jagielski 2023): the number of right guesses.

Each of m canaries is included with probability ½, independently. The auditor guesses r of them; r is fixed before the
scores are known. If the training is (ε, δ)-DP, the number of right guesses is at least v with probability at most
P(W ≥ v) + 2mδ max_i P(v > W ≥ v − i)/i, where W ~ Bin(r, q) and q = e^ε/(1 + e^ε).
"""

from functools import lru_cache

import numpy as np
from scipy.special import expit

from mlaudit.errors import InvalidInput
from mlaudit.statistics.binomial import tail
from mlaudit.statistics.group_privacy import group_delta
from mlaudit.statistics.roots import largest_refuted
from mlaudit.types.checks import whole

_TOLERANCE = 1e-10
_HIGHEST = 1e4  # no number of guesses shows more


def pvalue(correct: int, guesses: int, canaries: int, epsilon: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return the largest probability of `correct` or more right guesses under (ε, δ)-DP.

    Args:
        correct: Number of right guesses.
        guesses: Number of guesses; the auditor abstains on the other canaries.
        canaries: Number of canaries, in or out.
        epsilon: The ε of one neighbour step.
        delta: The δ of one neighbour step.
        steps: How many neighbour steps it takes to insert one canary.

    Example:
        >>> round(pvalue(600, 1000, 1000, 0.2, delta=1e-5), 6)
        0.001023
    """
    _check_counts(correct, guesses, canaries)
    q = float(expit(steps * epsilon))
    likely = float(tail(correct, guesses, q))
    if delta == 0.0 or correct == 0:
        return likely
    below = tail(np.arange(correct - 1, -1, -1), guesses, q) - likely
    leak = 2.0 * canaries * min(1.0, float(group_delta(epsilon, delta, steps)))
    return min(1.0, likely + leak * float((below / np.arange(1, correct + 1)).max()))


@lru_cache(maxsize=1024)
def lower_bound(
    correct: int, guesses: int, canaries: int, alpha: float, *, delta: float = 0.0, steps: int = 1
) -> float:
    """Return a lower (1 − alpha) bound on the ε of one step; 0 when not even ε = 0 is refuted.

    The δ term may fall as ε rises. The bound is valid all the same: a mechanism that is (ε, δ)-DP is so for every
    larger ε as well, so an ε whose p-value is at most alpha refutes every smaller one.

    >>> round(lower_bound(600, 1000, 1000, 0.05, delta=1e-5), 6)
    0.297227
    >>> lower_bound(500, 1000, 1000, 0.05)
    0.0
    """

    def is_refuted(epsilon: float) -> bool:
        return pvalue(correct, guesses, canaries, epsilon, delta=delta, steps=steps) <= alpha

    return largest_refuted(is_refuted, 0.5, tolerance=_TOLERANCE, highest=_HIGHEST)


def ceiling(guesses: int, canaries: int, alpha: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return the largest value of `lower_bound`: every guess correct.

    >>> round(ceiling(100, 1000, 0.05, delta=1e-5), 4)
    3.4654
    """
    return lower_bound(guesses, guesses, canaries, alpha, delta=delta, steps=steps)


def _check_counts(correct: int, guesses: int, canaries: int) -> None:
    whole("correct", correct, 0)
    whole("guesses", guesses, 1)
    if not correct <= guesses <= canaries:
        raise InvalidInput(f"need correct ≤ guesses ≤ canaries, got {correct}, {guesses} and {canaries}")
