"""The learner's own attacks, or the pair that it names itself, with a row changed as the claim is about."""

from dataclasses import dataclass

from mlaudit.attacks._changes import Added, Removed, with_change
from mlaudit.attacks.tight import HasTightPair
from mlaudit.protocols import Attack
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.subject import Subject
from mlaudit.types.claim import Relation
from mlaudit.types.traits import traits_of


@dataclass(frozen=True)
class OwnAttacks:
    """An audit with the attacks that the learner's traits name."""

    rank: int = 10

    def obstacle(self, subject: Subject) -> str:
        """Without attacks of its own there is nothing to do."""
        if traits_of(subject.learner).attacks and subject.data is not None:
            return ""
        return "" if isinstance(subject.learner, HasTightPair) else "the learner names no attacks for these data"

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Choose among the attacks on pilots, and audit the winner."""
        own = traits_of(subject.learner).attacks
        if not own or subject.data is None:
            return look_by_audit("own_attacks", subject.audit_tight_pair(alpha))
        attacks = change_rows(own, subject.claim.relation)
        return look_by_audit("own_attacks", subject.audit(alpha, subject.data, attack=attacks))


def change_rows(attacks: tuple[Attack, ...], relation: Relation) -> tuple[Attack, ...]:
    """The attacks, with rows replaced under replace-one, added and removed under add-remove.

    >>> from mlaudit.attacks.blank import Blank
    >>> [type(attack).__name__ for attack in change_rows((Added(Blank()),), Relation.ADD_REMOVE)]
    ['Added', 'Removed']
    """
    changes = ("replace",) if relation is Relation.REPLACE_ONE else ("add", "remove")
    plain = [attack.attack if isinstance(attack, Added | Removed) else attack for attack in attacks]
    return tuple(with_change(attack, change) for attack in plain for change in changes)
