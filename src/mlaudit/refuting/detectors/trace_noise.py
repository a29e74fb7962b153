"""The noise itself: two trainings with the same noisy answers name suspects, and each is tested on its own pair."""

from dataclasses import dataclass

from mlaudit.refuting.detector import Look
from mlaudit.refuting.subject import Subject
from mlaudit.refuting.suspects import find_obstacle, look_at_suspects


@dataclass(frozen=True)
class TraceNoise:
    """Short tests of the suspects of a trace, before all other detectors."""

    rank: int = 5

    def obstacle(self, subject: Subject) -> str:
        """Why no suspect can be tested; "" if one can."""
        return find_obstacle(subject)

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Test the gravest suspects."""
        return look_at_suspects("trace_noise", subject, alpha, audits=1)
