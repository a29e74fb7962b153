"""A row removed, under a claim of add-remove: the search looks at nothing else."""

from dataclasses import dataclass

from mlaudit.refuting.detector import Look
from mlaudit.refuting.detectors.added_rows import find_obstacle, look_at_change
from mlaudit.refuting.subject import Subject


@dataclass(frozen=True)
class RemovedRows:
    """An audit of the removed row that shifts the output most, on crafted data, or on the user's."""

    rank: int = 51

    def obstacle(self, subject: Subject) -> str:
        """A claim of replace-one says nothing about datasets of another size."""
        return find_obstacle(subject)

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Search on pilots, and audit the winner."""
        return look_at_change("removed_rows", "remove", subject, alpha)
