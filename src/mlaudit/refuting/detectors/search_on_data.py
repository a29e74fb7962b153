"""The search on the user's data: the neighbour that shifts the output most."""

from dataclasses import dataclass

from mlaudit.attacks.search import Search
from mlaudit.refuting.detector import Look, look_by_audit
from mlaudit.refuting.detectors.worst_data import SHARE
from mlaudit.refuting.subject import Subject


@dataclass(frozen=True)
class SearchOnData:
    """An audit of the neighbour of the user's data that a search finds."""

    rank: int = 40

    def obstacle(self, subject: Subject) -> str:
        """There must be data."""
        return "no data were given" if subject.data is None else ""

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Search on pilots, and audit the winner."""
        return look_by_audit("search_on_data", subject.audit(alpha, subject.data, attack=(Search(SHARE),)))
