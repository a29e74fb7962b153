"""What a running audit reports: trainings that were drawn or restored, and the phase it is in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from mlaudit.types.checks import function

ProgressFunction = Callable[[int, float], None]  # of the number of new trainings and the CPU seconds they took


@runtime_checkable
class Progress(Protocol):
    """Receives the progress of an audit."""

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """Count trainings that were drawn, and the CPU seconds that they took in other processes."""

    def count_restored(self, trainings: int) -> None:
        """Count trainings that the store already had: they say nothing about the speed of drawing."""

    def start_phase(self, words: str) -> None:
        """Name the phase that begins now."""


@dataclass(frozen=True)
class CallFunction:
    """Passes progress on to a plain function, which knows neither phases nor the store.

    >>> report = CallFunction(lambda trainings, cpu_seconds: print(trainings, cpu_seconds))
    >>> report.count_restored(5)
    5 0.0
    """

    function: ProgressFunction

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """Call the function."""
        self.function(trainings, cpu_seconds)

    def count_restored(self, trainings: int) -> None:
        """Call the function as if the trainings had cost nothing."""
        self.function(trainings, 0.0)

    def start_phase(self, words: str) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class Silent:
    """Ignores all progress."""

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """Do nothing."""

    def count_restored(self, trainings: int) -> None:
        """Do nothing."""

    def start_phase(self, words: str) -> None:
        """Do nothing."""


SILENT = Silent()


def as_progress(given: Any) -> Progress:
    """A `Progress` for whatever a caller may give: one of them, a plain function, or None.

    >>> as_progress(None)
    Silent()
    >>> as_progress(5)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: progress must be a function of (trainings, cpu_seconds), got int
    """
    if given is None:
        return SILENT
    called = function("progress", given, "a function of (trainings, cpu_seconds)")
    return given if isinstance(given, Progress) else CallFunction(called)
