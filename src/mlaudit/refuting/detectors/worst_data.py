"""Crafted worst data: small datasets in the learner's domain, and the neighbour that shifts the output most."""

from dataclasses import dataclass

from mlaudit.attacks.search import Search
from mlaudit.refuting.crafting import plan_crafting
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.subject import Subject

SHARE = 0.5  # of the trainings that search: bets need few trainings once the pair is a bad one


@dataclass(frozen=True)
class WorstData:
    """An audit of the pair that a search among crafted datasets finds."""

    rank: int = 20

    def obstacle(self, subject: Subject) -> str:
        """Without a domain any dataset would be legal."""
        return plan_crafting(subject).obstacle

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Search on pilots, and audit the winner."""
        crafting = plan_crafting(subject)
        result = subject.audit(alpha, crafting.worst, attack=(Search(SHARE),), mechanism=crafting.mechanism)
        return look_by_audit("worst_data", result)
