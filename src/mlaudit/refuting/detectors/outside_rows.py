"""Rows outside the declared domain, NaN and infinities among them, if the learner promises to clip: does it?"""

from dataclasses import dataclass

from mlaudit.attacks.search import Search
from mlaudit.refuting.crafting import plan_crafting
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.detectors.worst_data import SHARE
from mlaudit.refuting.subject import Subject

_NOT_ASKED = "not asked for: such rows are legal only if the learner promises to clip them"


@dataclass(frozen=True)
class OutsideRows:
    """An audit of the pair that a search finds among crafted datasets, also with rows outside the domain."""

    rank: int = 25

    def obstacle(self, subject: Subject) -> str:
        """The user must make the promise for the learner. One that makes it by itself declares a clipping domain."""
        return plan_crafting(subject).obstacle if subject.outside else _NOT_ASKED

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Search on pilots, and audit the winner."""
        crafting = plan_crafting(subject)
        attack = (Search(SHARE, outside=subject.outside),)
        result = subject.audit(alpha, crafting.worst, attack=attack, mechanism=crafting.mechanism)
        return look_by_audit("outside_rows", result)
