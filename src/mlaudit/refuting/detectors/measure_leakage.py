"""A tight bound for the pair on which the earlier detectors saw most, from many fresh trainings."""

from dataclasses import dataclass

from mlaudit.errors import InvalidInput
from mlaudit.procedures.progressive import Progressive
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.subject import Subject

_APART = 500  # seeds: the trainings that chose the pair must not count
_NOT_ASKED = "not asked for: bets say whether the claim holds; a tight bound needs many more trainings"


@dataclass(frozen=True)
class MeasureLeakage:
    """An audit by the nested scan, which states tighter bounds than bets, but cannot stop early."""

    rank: int = 70

    def obstacle(self, subject: Subject) -> str:
        """The user must ask for it."""
        return "" if subject.measured else _NOT_ASKED

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Audit the pair with the highest bound so far."""
        if subject.leader is None:
            raise InvalidInput("a pair must be known before its leakage can be measured, got none")
        pair = subject.leader.pair
        result = subject.audit(
            alpha,
            pair=pair,
            procedure=Progressive(),
            mechanism=subject.fix_domain(pair),
            trainings=subject.measured,
            seed=subject.seed + _APART,
        )
        return look_by_audit("measure_leakage", result)
