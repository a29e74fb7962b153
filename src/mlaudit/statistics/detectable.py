"""The smallest violation that an audit detects with probability 90 %, at best.

At best: the pair shows the whole ε. Then a guess is right with probability q = e^{kε}/(1 + e^{kε}) on every training,
as for randomised response. If the output hides a part of the ε on this pair, only a larger violation is detected.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import betaincinv, expit, logit, ndtr, ndtri

from mlaudit.protocols import Interval
from mlaudit.statistics import gaussian_dp, nested_scan, one_run
from mlaudit.statistics.binomial import critical_count, quantile, tail
from mlaudit.statistics.e_process import BettingMixture, pool_log_wealth
from mlaudit.statistics.group_privacy import epsilon_per_step
from mlaudit.statistics.roots import largest_refuted, smallest_reached
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.claim import Claim

POWER = 0.9
_HIGHEST = 50.0  # kε beyond which a guess is never wrong in practice
_TOLERANCE = 1e-4


def detectable_by_scan(guesses: IntArray, claim: Claim, alpha: float, *, steps: int = 1) -> float:
    """Return the smallest ε at which the nested scan refutes the claim with probability 90 %; infinite if none.

    It is refuted if the longest prefix alone is rare enough, so the exact value is at most this one. Without δ, "rare
    enough" is α divided by the number of prefixes, which takes no convolution.

    >>> sizes = np.array([100, 1000, 10_000])
    >>> round(detectable_by_scan(sizes, Claim(1.0), 0.05), 3), detectable_by_scan(sizes // 100, Claim(4.0), 0.05)
    (1.078, inf)
    """
    n = int(guesses[-1])
    q = float(expit(steps * claim.epsilon))
    if claim.delta == 0.0:
        needed = int(critical_count(n, q, alpha / len(guesses)))
    else:

        def is_reached(correct: IntArray) -> BoolArray:
            rarest = float(tail(correct[0], n, q))
            p = nested_scan.pvalue_of_rarest(rarest, guesses, claim.epsilon, delta=claim.delta, steps=steps)
            return np.array([p <= alpha])

        needed = int(smallest_reached(np.array([0]), np.array([n + 1]), is_reached)[0])
    return float(logit(_share_that_reaches(needed, n))) / steps


def detectable_by_accuracy(guesses: int, claim: Claim, alpha: float, steps: int = 1) -> float:
    """Return the smallest ε, implied under Gaussian DP, at which guesses of every label refute the claim.

    >>> round(detectable_by_accuracy(1800, Claim(1.0, 1e-5), 0.05), 2), detectable_by_accuracy(1800, Claim(1.0), 0.05)
    (1.75, inf)
    """
    if claim.delta == 0:
        return np.inf  # no μ above 0 implies (ε, 0)-DP, whatever ε is
    mu = steps * float(gaussian_dp.mu_of(claim.epsilon, claim.delta))
    needed = int(critical_count(guesses, float(ndtr(mu / 2)), alpha))
    share = _share_that_reaches(needed, guesses)
    return float(gaussian_dp.epsilon_of(2 * ndtri(share) / steps, claim.delta)) if share < 1 else np.inf


def detectable_in_one_run(guesses: int, canaries: int, claim: Claim, alpha: float, steps: int = 1) -> float:
    """Return the smallest ε at which the canaries of one training refute the claim with probability 90 %.

    >>> round(detectable_in_one_run(500, 1000, Claim(1.0), 0.05), 2)
    1.32
    """

    def is_reached(correct: IntArray) -> BoolArray:
        p = one_run.pvalue(int(correct[0]), guesses, canaries, claim.epsilon, delta=claim.delta, steps=steps)
        return np.array([p <= alpha])

    needed = int(smallest_reached(np.array([0]), np.array([guesses + 1]), is_reached)[0])
    return float(logit(_share_that_reaches(needed, guesses))) / steps


def detectable_by_bets(guesses: int, claim: Claim, alpha: float, steps: int = 1) -> float:
    """Return the smallest ε at which the bets of an ideal distinguisher refute the claim with probability 90 %.

    >>> 1.2 < detectable_by_bets(1000, Claim(1.0), 0.05) < detectable_by_bets(300, Claim(1.0), 0.05) < 2
    True
    """
    mixture, enough = BettingMixture(claim.epsilon, claim.delta, steps), -np.log(alpha)

    def is_missed(total: float) -> bool:
        right = quantile(1 - POWER, guesses, float(expit(total)))
        sure = np.array([total])
        won, lost = (mixture.log_growth(sure, np.array([fate]), claim.epsilon) for fate in (True, False))
        return bool(pool_log_wealth(right * won + (guesses - right) * lost)[0] < enough)

    return _smallest_seen(is_missed, steps * claim.epsilon) / steps


def detectable_by_arms(
    interval: Interval, trials: int, false_trials: int, claim: Claim, alpha: float, steps: int = 1
) -> float:
    """Return the smallest ε at which the counts of a set S refute the claim with probability 90 % or more.

    >>> from mlaudit.intervals.mover_cp import MoverCP
    >>> round(detectable_by_arms(MoverCP(), 1000, 1000, Claim(1.0), 0.05), 2)
    1.22
    """
    missed = (1 - POWER) / 2  # for each of the two counts

    def is_missed(total: float) -> bool:
        hits = quantile(missed, trials, float(expit(total)))
        false_hits = quantile(1 - missed, false_trials, float(expit(-total)))

        def log_ratio_at(shift: FloatArray | float) -> FloatArray:
            return interval.log_ratio(hits, false_hits, trials, false_trials, alpha, shift)

        return bool(epsilon_per_step(log_ratio_at, claim.delta, steps) <= claim.epsilon)

    return _smallest_seen(is_missed, steps * claim.epsilon) / steps


def _share_that_reaches(needed: int, n: int) -> float:
    """The probability of a right guess at which at least `needed` of n guesses are right with probability 90 %."""
    return 1.0 if needed > n else float(betaincinv(needed, n - needed + 1, POWER))


def _smallest_seen(is_missed: Callable[[float], bool], first: float) -> float:
    if is_missed(_HIGHEST):
        return np.inf
    return largest_refuted(is_missed, first, tolerance=_TOLERANCE, highest=_HIGHEST)
