"""The last bits of floating-point outputs: sums of a number and noise miss most numbers (Mironov 2012)."""

from dataclasses import dataclass

from mlaudit.attacks.search import Search
from mlaudit.classifiers.grain import Grain
from mlaudit.classifiers.reachable import Reachable
from mlaudit.procedures.sequential import Sequential
from mlaudit.refuting.crafting import plan_crafting
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.subject import Subject

_PROCEDURE = Sequential((Reachable(), Grain()))
_SHARE = 0.2
_NOT_ASKED = "not asked for: last bits tell D from D′ for almost every implementation that does not round its noise"


@dataclass(frozen=True)
class LastBits:
    """An audit by the classifiers of last bits, on the pair that the learner names or that a search finds."""

    rank: int = 60

    def obstacle(self, subject: Subject) -> str:
        """The user must ask for it."""
        if not subject.last_bits:
            return _NOT_ASKED
        if subject.names_pair or subject.data is not None:
            return ""
        return plan_crafting(subject).obstacle

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Audit one pair."""
        if subject.names_pair:
            return look_by_audit("last_bits", subject.audit_tight_pair(alpha, _PROCEDURE))
        crafting = plan_crafting(subject)
        data = crafting.worst if not crafting.obstacle else subject.data
        attack = (Search(_SHARE),)
        result = subject.audit(alpha, data, attack=attack, procedure=_PROCEDURE, mechanism=crafting.mechanism)
        return look_by_audit("last_bits", result)
