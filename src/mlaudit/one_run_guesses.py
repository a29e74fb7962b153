"""How many guesses about the canaries of a single training can be right (Steinke, Nasr and Jagielski 2023).

m canaries are in or out by fair coins of their own. Of an (ε, δ)-DP training r of them are guessed, r fixed before
the scores are seen. Were each canary in a training of its own, the right guesses would be dominated by W ~ Bin(r, q)
with q = e^ε/(1 + e^ε). In one training they are so, too, but for what δ gives away: P(at least v right) is at most
P(W ≥ v) + 2mδ max_i P(v > W ≥ v − i)/i.
"""

from functools import lru_cache

import numpy as np
from scipy.special import expit
from scipy.stats import binom

from mlaudit.errors import InvalidInput
from mlaudit.intervals._binomial import tail
from mlaudit.privacy import group_delta
from mlaudit.types.checks import whole

_TOLERANCE = 1e-10
_HIGHEST = 1e4  # no number of guesses shows more


def pvalue(correct: int, guesses: int, canaries: int, epsilon: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return the highest probability that `correct` or more of `guesses` about `canaries` are right under (ε, δ)-DP.

    `steps` is how many neighbour steps one canary is.

    >>> round(pvalue(600, 1000, 1000, 0.2, delta=1e-5), 6)
    0.001023
    """
    _check(correct, guesses, canaries)
    q = float(expit(steps * epsilon))
    likely = float(tail(correct, guesses, q))
    if delta == 0.0 or correct == 0:
        return likely
    below = np.cumsum(binom.pmf(np.arange(correct - 1, -1, -1), guesses, q))
    leak = 2.0 * canaries * min(1.0, float(group_delta(epsilon, delta, steps)))
    return min(1.0, likely + leak * float((below / np.arange(1, correct + 1)).max()))


@lru_cache(maxsize=1024)
def lower(correct: int, guesses: int, canaries: int, alpha: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return a lower (1 − alpha) bound on the ε of one step; 0 when not even ε = 0 is refuted.

    The term of δ may fall as ε rises. That does no harm: who is (ε, δ)-DP is so for every larger ε as well, so that
    an ε whose p-value is at most alpha refutes all below it.

    >>> round(lower(600, 1000, 1000, 0.05, delta=1e-5), 6)
    0.297227
    >>> lower(500, 1000, 1000, 0.05)
    0.0
    """

    def refuted(epsilon: float) -> bool:
        return pvalue(correct, guesses, canaries, epsilon, delta=delta, steps=steps) <= alpha

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 0.5
    while high < _HIGHEST and refuted(high):
        low, high = high, 2.0 * high
    while high - low > _TOLERANCE * max(1.0, high):
        middle = (low + high) / 2.0
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def ceiling(guesses: int, canaries: int, alpha: float, *, delta: float = 0.0, steps: int = 1) -> float:
    """Return the highest bound `lower` can give: every guess right.

    >>> round(ceiling(100, 1000, 0.05, delta=1e-5), 4)
    3.4654
    """
    return lower(guesses, guesses, canaries, alpha, delta=delta, steps=steps)


def _check(correct: int, guesses: int, canaries: int) -> None:
    whole("correct", correct, 0)
    whole("guesses", guesses, 1)
    if not correct <= guesses <= canaries:
        raise InvalidInput(
            f"right guesses, guesses and canaries must not fall in this order, got {correct}, {guesses}, {canaries}"
        )
