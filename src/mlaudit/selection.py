"""Choosing the pair (attack and rows) on pilot draws that never count."""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import betaincinv, logit

from mlaudit import nested_scan
from mlaudit.candidates import Candidate
from mlaudit.classifiers.boosting import Boosting
from mlaudit.classifiers.logistic import Logistic
from mlaudit.distinguisher import choose_classifier, out_of_fold
from mlaudit.procedures._guessing import look_sizes, most_confident_first
from mlaudit.procedures.progressive import FRACTIONS
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim
from mlaudit.types.draws import Draws

SHARE = 0.1  # of all trainings; the winner's pilot draws also train its first distinguisher
_FOLDS = 3
_PER_LOOK = 7.0  # a scan over 13 looks costs about as much as a seventh of alpha at the best look
_CAUTION = 0.05  # quantile of the accuracy's posterior: small shares must not win by luck
_SMALLEST = 30  # guesses below which a share's accuracy is not believed at all


def pilot_size(trainings: int, arms: int) -> int:
    """How many pilot trainings each arm gets; an arm that several candidates share is trained once.

    >>> pilot_size(10_000, 5)
    200
    """
    return int(SHARE * trainings / arms)


def choose_pair(
    candidates: Sequence[Candidate],
    pilot: Callable[[Candidate], Draws],
    claim: Claim,
    counted: int,
    alpha: float,
) -> tuple[Candidate, Draws]:
    """The candidate whose pilot promises the highest bound on ε, and its pilot draws."""
    draws = [pilot(c) for c in candidates]
    promises = [_promised(c, d, claim, counted, alpha) for c, d in zip(candidates, draws, strict=True)]
    # Where nothing is promised, more rows are more evidence.
    best = max(range(len(candidates)), key=lambda i: (promises[i], candidates[i].pair.rows))
    return candidates[best], draws[best]


def _promised(candidate: Candidate, draws: Draws, claim: Claim, counted: int, alpha: float) -> float:
    steps = candidate.pair.steps(claim.relation)
    free = nested_scan.allowance(counted, claim.delta, alpha=alpha, steps=steps, epsilon=claim.epsilon)
    return promise(_held_out_scores(draws), draws.labels, counted, alpha, free) / steps


def promise(scores: FloatArray, labels: IntArray, counted: int, alpha: float, free: int = 0) -> float:
    """The bound that `counted` further guesses as good as these would show; an estimate, never a result.

    `free` right guesses are δ's and do not count; where they are all there could be, the promise is negative.

    >>> sure = promise(np.array([5.0, -5.0] * 50), np.array([1, 0] * 50), 1000, 0.05)
    >>> unsure = promise(np.array([5.0, -5.0] * 50), np.array([1, 1, 0, 0] * 25), 1000, 0.05)
    >>> sure > 2 > 0 == unsure
    True
    """
    sizes = look_sizes(len(scores), np.array(FRACTIONS))
    sizes = sizes[sizes >= min(_SMALLEST, len(scores))]
    right = np.cumsum(most_confident_first(scores, labels))[sizes - 1]
    accuracy = betaincinv(right + 0.5, sizes - right + 0.5, _CAUTION)
    future = np.maximum(counted * sizes / len(scores), 1.0)
    if free >= future[-1]:
        return -1.0
    right_then, wrong_then = np.maximum(accuracy * future - free, 1e-9), (1 - accuracy) * future
    return max(0.0, float(logit(betaincinv(right_then, wrong_then + 1, alpha / _PER_LOOK)).max()))


def _held_out_scores(draws: Draws) -> FloatArray:
    return out_of_fold(choose_classifier((Logistic(), Boosting()), draws, _FOLDS), draws, _FOLDS)
