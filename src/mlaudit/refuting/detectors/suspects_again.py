"""The suspects of the trace again, on more trainings, after all cheaper detectors."""

from dataclasses import dataclass

from mlaudit.refuting.detector import Look
from mlaudit.refuting.subject import Subject
from mlaudit.refuting.suspects import find_obstacle, look_at_suspects

_AUDITS = 4  # healthy learners have no suspects, so that only few learners pay for it


@dataclass(frozen=True)
class SuspectsAgain:
    """Long tests of the suspects that the short ones did not prove.

    The trainings of the short tests are counted again. Each test keeps its own share of α, and a union bound holds
    whether or not tests share trainings.
    """

    rank: int = 55

    def obstacle(self, subject: Subject) -> str:
        """Why no suspect can be tested; "" if one can."""
        return find_obstacle(subject)

    def __call__(self, subject: Subject, alpha: float) -> Look:
        """Test the gravest suspects."""
        return look_at_suspects("suspects_again", subject, alpha, _AUDITS)
