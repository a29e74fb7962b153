"""How many fresh trainings it takes to show again what was found: the power of a confirmation."""

import numpy as np
from scipy.special import expit, ndtri

from mlaudit.statistics.binomial import critical_count, tail
from mlaudit.types.finding import ArmCounts, Evidence, GuessCounts

POWER = 0.95
_PREFIXES = 7.0  # a scan over all prefixes costs about as much as a seventh of alpha at the best of them
_GROWTH = 1.05  # between two numbers that are tried


def trainings_to_refute(evidence: Evidence, total_epsilon: float, alpha: float, most: int, leak: float = 0.0) -> int:
    """Count the fresh trainings that refute a claim with probability 95 %, if the witness stays as good as it was.

    Of the evidence, one standard error is put down to luck.

    Args:
        evidence: The counts of the witness.
        total_epsilon: The claimed ε of all steps together, kε.
        alpha: One-sided error of the confirmation.
        most: The most trainings.
        leak: The probability that a training reveals its label because of δ; its right guess counts for nothing.

    Returns:
        The number of trainings; `most` if they are not enough, or if the evidence does not say.

    Example:
        >>> clear, close = GuessCounts((990,), (1000,)), GuessCounts((770,), (1000,))
        >>> [trainings_to_refute(found, 1.0, 0.05, 100_000) for found in (clear, close)]
        [23, 5029]
    """
    if isinstance(evidence, GuessCounts) and not evidence.canaries:
        return _guesses_to_refute(evidence, total_epsilon, alpha, most, leak)
    return _arms_to_refute(evidence, total_epsilon, alpha, most) if isinstance(evidence, ArmCounts) else most


def _guesses_to_refute(found: GuessCounts, total_epsilon: float, alpha: float, most: int, leak: float) -> int:
    guesses = np.array(found.guesses, dtype=float)
    right = np.maximum(np.array(found.correct) - leak * guesses[-1], 0) / guesses
    likely, allowed = right - np.sqrt(right * (1 - right) / guesses), float(expit(total_epsilon))
    n = 1.0
    while n < most:
        sizes = np.floor(n * guesses / guesses[-1] + 0.5).astype(np.int64)
        needed = critical_count(sizes, allowed, alpha / _PREFIXES) + np.ceil(leak * n).astype(np.int64)
        if (tail(needed, sizes, likely) >= POWER).any():
            return int(n)
        n = max(n + 1, np.floor(n * _GROWTH))
    return most


def _arms_to_refute(found: ArmCounts, total_epsilon: float, alpha: float, most: int) -> int:
    """By the normal law of the logarithm of the ratio, without δ."""
    p, q = found.hits / found.trials, max(found.false_hits, 1) / found.false_trials
    if p <= 0:
        return most
    variance = (1 - p) / p + (1 - q) / q  # of one training on each side
    excess = np.log(p / q) - np.sqrt(variance / found.trials) - total_epsilon
    if excess <= 0:
        return most
    each = variance * ((ndtri(1 - alpha) + ndtri(POWER)) / excess) ** 2
    return min(most, 2 * int(np.ceil(each)))
