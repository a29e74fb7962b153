"""The pair or the attacks that the user names: the only detector then."""

from dataclasses import dataclass

from mlaudit.protocols import Attack
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.subject import Subject
from mlaudit.types.pair import Pair

NAME = "given"


@dataclass(frozen=True, eq=False)
class Given:
    """An audit of one pair, or of the pairs that attacks make of the user's data."""

    pair: Pair | None
    attacks: tuple[Attack, ...] | None
    rank: int = 0

    def obstacle(self, subject: Subject) -> str:
        """The audit itself says what is missing."""
        return ""

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Audit."""
        data = None if self.pair is not None else subject.data
        return look_by_audit(NAME, subject.audit(alpha, data, pair=self.pair, attack=self.attacks))
