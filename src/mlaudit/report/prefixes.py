"""The prefixes of a nested scan: the bound of each set of most confident guesses by itself."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from mlaudit.statistics.binomial import critical_count, lower_limit
from mlaudit.statistics.nested_scan import leak_probability
from mlaudit.types.finding import Bound, GuessCounts

_SHARE_OF_LEAK = 1 / 50  # of α, for the chance that δ reveals more labels than are subtracted


@dataclass(frozen=True)
class Prefix:
    """The `guesses` most confident guesses, a `share` of all: `right` were correct; and their bound alone."""

    share: float
    guesses: int
    right: int
    epsilon: float

    @property
    def accuracy(self) -> float:
        """The share that was correct."""
        return self.right / self.guesses


def bound_prefixes(counts: GuessCounts, bound: Bound, delta: float) -> list[Prefix]:
    """Bound ε by every prefix, as if it had been the only one.

    >>> found = bound_prefixes(GuessCounts((50, 90), (50, 100)), Bound(2.7, 7.0, 0.05, 1, "nested scan"), 0.0)
    >>> [round(prefix.epsilon, 2) for prefix in found]
    [2.78, 1.63]
    """
    right, made = np.array(counts.correct), np.array(counts.guesses)
    alpha, revealed = bound.alpha, 0
    if delta:
        leak = leak_probability(bound.epsilon, delta, bound.steps)
        revealed = int(critical_count(counts.counted, leak, alpha * _SHARE_OF_LEAK)) - 1
        alpha *= 1 - _SHARE_OF_LEAK
    kept, sure = np.maximum(made - revealed, 0), np.maximum(right - revealed, 0)
    with np.errstate(divide="ignore"):
        alone = np.maximum(logit(lower_limit(sure, kept, alpha)), 0.0) / bound.steps
    return [
        Prefix(float(n / made[-1]), int(n), int(c), float(e)) for n, c, e in zip(made, right, alone, strict=True) if n
    ]


def largest_accuracy(epsilon: float, steps: int) -> float:
    """The largest expected share of correct guesses under ε, so many steps apart.

    >>> round(largest_accuracy(1.0, 1), 3)
    0.731
    """
    return float(expit(steps * epsilon))
