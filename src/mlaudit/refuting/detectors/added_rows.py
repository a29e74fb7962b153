"""A row added, under a claim of add-remove: the search looks at nothing else."""

from dataclasses import dataclass

from mlaudit.attacks.search import Search
from mlaudit.refuting.crafting import plan_crafting
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.detectors.worst_data import SHARE
from mlaudit.refuting.subject import Subject
from mlaudit.types.claim import Relation

_ABOUT = {
    Relation.REPLACE_ONE: "replaced rows",
    Relation.LABEL_ONLY: "labels",
    Relation.ZERO_OUT: "zeroed rows",
}


@dataclass(frozen=True)
class AddedRows:
    """An audit of the added row that shifts the output most, on crafted data, or on the user's."""

    rank: int = 50

    def obstacle(self, subject: Subject) -> str:
        """A claim of replace-one says nothing about datasets of another size."""
        return find_obstacle(subject)

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Search on pilots, and audit the winner."""
        return look_at_change("added_rows", "add", subject, alpha)


def find_obstacle(subject: Subject) -> str:
    """Why rows cannot be added or removed; "" if they can."""
    if subject.claim.relation is not Relation.ADD_REMOVE:
        return f"the claim is about {_ABOUT[subject.claim.relation]}"
    return "" if subject.data is not None else plan_crafting(subject).obstacle


def look_at_change(detector: str, change: str, subject: Subject, alpha: float) -> Look:
    """Audit the row that shifts the output most when it is added, or when it is removed.

    On crafted data where these are legal: the search on the user's data has tried such rows before.
    """
    attack, crafting = (Search(SHARE, change),), plan_crafting(subject)
    if crafting.obstacle:
        return look_by_audit(detector, subject.audit(alpha, subject.data, attack=attack))
    return look_by_audit(detector, subject.audit(alpha, crafting.worst, attack=attack, mechanism=crafting.mechanism))
