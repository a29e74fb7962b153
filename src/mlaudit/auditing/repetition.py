"""Plan the repetition of a violation: how many fresh trainings, and what they cost."""

from mlaudit.drawing.sampler import Sampler
from mlaudit.statistics.nested_scan import leak_probability
from mlaudit.statistics.power import trainings_to_refute
from mlaudit.types.claim import Claim
from mlaudit.types.finding import Finding
from mlaudit.types.numbers import count, duration

REPEATED_AT = 0.05  # error of a repetition, shared by its attempts
MOST_ATTEMPTS = 2
_EARLY = 0.05  # share of the audit's trainings: a clear violation is repeated early
_FEWEST = 400


def usual_attempts(trainings: int) -> tuple[int, ...]:
    """The numbers of trainings of two attempts, where a training costs as much as in the audit.

    >>> usual_attempts(4000), usual_attempts(40_000)
    ((400, 4000), (2000, 40000))
    """
    return _count_early(trainings), trainings


def plan_attempts(finding: Finding, claim: Claim, trainings: int) -> tuple[int, ...]:
    """Plan attempts on the library's own fit, whose trainings cost far more than those of the audit.

    The last attempt has as many trainings as the excess needs to refute the claim with probability 95 %, and never
    more than the audit had. If that is many, a first attempt with few comes before it.

    >>> from mlaudit.types.finding import Bound, GuessCounts, Witness
    >>> bound = Bound(1.2, 7.0, 0.05, 1, "nested scan")
    >>> found = lambda right: Finding(bound, GuessCounts((right,), (36_000,)), Witness(len))
    >>> [plan_attempts(found(right), Claim(1.0), 40_000) for right in (35_000, 27_100, 26_500)]
    [(400,), (2000, 9948), (2000, 40000)]
    """
    early, most = _count_early(trainings), trainings
    total, alpha = finding.bound.steps * claim.epsilon, REPEATED_AT / MOST_ATTEMPTS
    leak = leak_probability(claim.epsilon, claim.delta, finding.bound.steps)
    needed = max(min(_FEWEST, most), trainings_to_refute(finding.evidence, total, alpha, most, leak))
    return (early, needed) if early <= needed / 2 else (needed,)


def _count_early(trainings: int) -> int:
    return max(int(_EARLY * trainings), min(_FEWEST, trainings))


def announce_library(attempts: tuple[int, ...], draw: Sampler) -> str:
    """What is about to be drawn by the library's own fit, and how long it takes at most.

    Args:
        attempts: The numbers of trainings of each attempt.
        draw: Draws by the library; two of its trainings are timed and not counted. The first may load code.

    Returns:
        The name of the phase.
    """
    stream = draw.streams[0]
    stream.draw(0, 1)
    seconds = stream.draw(1, 1).cpu_seconds
    *first, last = attempts
    early = "".join(f"{count(few)} trainings, and if these do not refute the claim " for few in first)
    rest = f"{count(last)} more" if first else f"{count(last)} trainings"
    cost = f"at most about {duration(sum(attempts) * seconds)} of CPU time"
    return f"repeating by the library's own fit: {early}{rest}, {cost}"
