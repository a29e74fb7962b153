"""What would have let an inconclusive audit refute the claim: fewer rows, or more trainings."""

from math import ceil, floor, log, log10

import numpy as np
from scipy.special import log_expit

from mlaudit.statistics import nested_scan
from mlaudit.types import numbers
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Bound, Evidence, GuessCounts
from mlaudit.types.numbers import plural

_MOST = 10**8  # trainings that nobody asks for


def remedy_text(claim: Claim, bound: Bound, evidence: Evidence, rows: int, trainings: int) -> str:
    """How to make an audit of this claim conclusive, in one sentence.

    Args:
        claim: The claim that could not have been refuted.
        bound: The bound of the audit.
        evidence: The counts behind it.
        rows: Number of rows that the pair differs in, or of units.
        trainings: All trainings of the audit.

    Returns:
        The sentence, with figures where the bound is that of the nested scan.

    Example:
        >>> counts = GuessCounts((60, 300), (90, 450))
        >>> remedy_text(Claim(1.0), Bound(0.1, 0.63, 0.05, 8, "nested scan"), counts, 8, 500)
        'Try 1 row (could show 5.01), or 13 000 trainings.'
        >>> few = GuessCounts((15, 87), (15, 87))
        >>> remedy_text(Claim(4.0), Bound(0.4, 0.84, 0.05, 4, "nested scan"), few, 4, 100)
        'Try 1 row and 240 trainings.'
    """
    if bound.ceiling > claim.epsilon:
        return "Choose a procedure that assumes nothing beyond the claim, such as progressive."
    one = "1 row" if claim.unit is None else "1 unit"
    if not isinstance(evidence, GuessCounts) or evidence.canaries or bound.assuming:
        return "Try more trainings." if rows == 1 else f"Try {one}, or more trainings."
    single = bound.steps // rows  # steps of one row
    sizes = np.array(evidence.guesses)
    shown = nested_scan.ceiling(sizes, bound.alpha, delta=claim.delta, steps=single)
    fewer = f"{one} (could show {numbers.ceiling(shown)})" if rows > 1 and shown > claim.epsilon else ""

    def count_enough(steps: int) -> int:
        """All trainings with which right guesses alone refute the claim: they have probability q^n under it."""
        needed = log(bound.alpha / len(sizes)) / float(log_expit(steps * claim.epsilon))
        return round_up(needed * trainings / evidence.counted)

    enough = count_enough(bound.steps)
    more = plural(enough, "training") if enough <= _MOST else ""
    if rows > 1 and not fewer and (both := count_enough(single)) <= _MOST:
        fewer, more = f"{one} and {plural(both, 'training')}", ""
    ways = [way for way in (fewer, more) if way]
    return f"Try {', or '.join(ways)}." if ways else "Audit a smaller ε: no audit can refute so large a claim."


def round_up(value: float) -> int:
    """The next whole number with at most two significant digits.

    >>> round_up(1234.5), round_up(7.2), round_up(100)
    (1300, 8, 100)
    """
    unit = int(10 ** max(floor(log10(max(value, 1.0))) - 1, 0))
    return ceil(value / unit) * unit
