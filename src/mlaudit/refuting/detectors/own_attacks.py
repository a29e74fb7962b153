"""The learner's own attacks, or the pair that it names itself, with a row changed as the claim is about."""

from dataclasses import dataclass

from mlaudit.attacks._changes import with_change, without_change
from mlaudit.protocols import Attack
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.subject import Subject
from mlaudit.types.changes import ONE_STEP
from mlaudit.types.claim import Relation
from mlaudit.types.traits import traits_of


@dataclass(frozen=True)
class OwnAttacks:
    """An audit with the attacks that the learner's traits name."""

    rank: int = 10

    def obstacle(self, subject: Subject) -> str:
        """Without attacks of its own there is nothing to do."""
        if subject.names_pair:
            return ""
        if subject.claim.relation in (Relation.LABEL_ONLY, Relation.ZERO_OUT):
            return f"under {subject.claim.relation.value} the searches try the learner's attacks"
        known = traits_of(subject.learner).attacks and subject.data is not None
        return "" if known else "the learner names no attacks for these data"

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Choose among the attacks on pilots, and audit the winner."""
        own = traits_of(subject.learner).attacks
        in_place = subject.claim.relation in (Relation.LABEL_ONLY, Relation.ZERO_OUT)
        if not own or subject.data is None or in_place:
            return look_by_audit("own_attacks", subject.audit_tight_pair(alpha))
        attacks = change_rows(own, subject.claim.relation)
        return look_by_audit("own_attacks", subject.audit(alpha, subject.data, attack=attacks))


def change_rows(attacks: tuple[Attack, ...], relation: Relation) -> tuple[Attack, ...]:
    """The attacks, with rows changed as the relation says: added and removed under add-remove, for example.

    >>> from mlaudit.attacks._changes import Added
    >>> from mlaudit.attacks.blank import Blank
    >>> [type(attack).__name__ for attack in change_rows((Added(Blank()),), Relation.ADD_REMOVE)]
    ['Added', 'Removed']
    """
    plain = [without_change(attack) for attack in attacks]
    return tuple(with_change(attack, change) for attack in plain for change in ONE_STEP[relation])
