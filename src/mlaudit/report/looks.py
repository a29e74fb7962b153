"""The looks of a single audit: what each set of most confident guesses shows by itself."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from mlaudit.intervals._binomial import lower_limit
from mlaudit.types.finding import Bound, GuessCounts

_LEFT_BY_LEAK = 0.98  # with δ a fiftieth of α is spent on labels that are given away beyond the allowance


@dataclass(frozen=True)
class Look:
    """The `guesses` most confident guesses, `share` of all: how many were right, and the ε that they show alone."""

    share: float
    guesses: int
    right: int
    epsilon: float

    @property
    def accuracy(self) -> float:
        """The share that was right."""
        return self.right / self.guesses


def looks(counts: GuessCounts, bound: Bound, delta: float) -> list[Look]:
    """Every look with the bound it would give if it had been the only one.

    >>> found = looks(GuessCounts((50, 90), (50, 100)), Bound(2.7, 7.0, 0.05, 1, "nested scan"), 0.0)
    >>> [round(look.epsilon, 2) for look in found]
    [2.78, 1.63]
    """
    right, made = np.array(counts.correct), np.array(counts.guesses)
    alpha = bound.alpha * (_LEFT_BY_LEAK if delta else 1.0)
    kept, sure = np.maximum(made - counts.allowance, 0), np.maximum(right - counts.allowance, 0)
    with np.errstate(divide="ignore"):
        alone = np.maximum(logit(lower_limit(sure, kept, alpha)), 0.0) / bound.steps
    return [
        Look(float(n / made[-1]), int(n), int(c), float(e)) for n, c, e in zip(made, right, alone, strict=True) if n
    ]


def allowed(epsilon: float, steps: int) -> float:
    """The most that can be expected to be right under ε, so many steps apart.

    >>> round(allowed(1.0, 1), 3)
    0.731
    """
    return float(expit(steps * epsilon))
