"""How tight an audit could have been: the smallest violation that it detects with probability 90 %."""

import numpy as np

from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.statistics.detectable import (
    detectable_by_accuracy,
    detectable_by_arms,
    detectable_by_bets,
    detectable_by_scan,
    detectable_in_one_run,
)
from mlaudit.types.claim import Claim
from mlaudit.types.finding import ArmCounts, Bets, Bound, Evidence


def detectable_epsilon(claim: Claim, bound: Bound, evidence: Evidence) -> float:
    """The smallest true ε that an audit of this size refutes the claim of with probability 90 %, at best.

    At best: the pair shows the whole ε, and the distinguisher sees it.

    Args:
        claim: The claim.
        bound: The bound of the audit: its α, its steps, and what it assumes.
        evidence: The counts; only their sizes matter.

    Returns:
        The ε; infinite if not even a total leak is detected with this probability.

    Example:
        >>> from mlaudit.types.finding import GuessCounts
        >>> bound = Bound(0.9, 7.0, 0.05, 1, "nested scan")
        >>> round(detectable_epsilon(Claim(1.0), bound, GuessCounts((70, 6500), (100, 9000))), 2)
        1.08
    """
    alpha, steps = bound.alpha, bound.steps
    if isinstance(evidence, ArmCounts):
        # The closed form: within a hundredth of the exact bound, and a thousand times as fast.
        return detectable_by_arms(MoverCP(), evidence.trials, evidence.false_trials, claim, alpha, steps)
    if isinstance(evidence, Bets):
        return detectable_by_bets(evidence.counted, claim, alpha, steps)
    if bound.assuming:
        return detectable_by_accuracy(evidence.counted, claim, alpha, steps)
    if evidence.canaries:
        return detectable_in_one_run(evidence.counted, evidence.canaries, claim, alpha, steps)
    sizes = np.array(evidence.guesses)
    return detectable_by_scan(sizes, claim, alpha, steps=steps)
