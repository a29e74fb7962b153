"""Count the trainings of a detector, and end it when time is up."""

import time
from dataclasses import dataclass, field

from mlaudit.drawing.progress import Progress

_REPEATING = "repeating"  # a violation that was found is repeated, however late it is


class OutOfTime(Exception):
    """The time limit was reached. No AuditError: no part of an audit may take it for a failure of its own."""


@dataclass(eq=False)
class LimitedProgress:
    """Passes progress on, names the detector in every phase, and raises OutOfTime after the deadline.

    Args:
        progress: Receives the progress.
        seconds: The time from now on.
    """

    progress: Progress
    seconds: float
    detector: str = ""
    trainings: int = 0
    began: float = field(default_factory=time.monotonic)
    _protected: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() - self.began >= self.seconds

    def start(self, detector: str) -> None:
        """Begin to count the trainings of a detector."""
        self.detector, self.trainings, self._protected = detector, 0, False
        self.progress.start_phase(detector)

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """Count trainings that were drawn."""
        self.trainings += trainings
        self.progress(trainings, cpu_seconds)
        self._check()

    def count_restored(self, trainings: int) -> None:
        """Count trainings that the store had."""
        self.trainings += trainings
        self.progress.count_restored(trainings)

    def start_phase(self, words: str) -> None:
        """Name the detector and its phase."""
        self._protected = words.startswith(_REPEATING)
        self.progress.start_phase(f"{self.detector}: {words}")

    def _check(self) -> None:
        if self.is_over and not self._protected:
            raise OutOfTime
