"""What a progress callback may be told beyond its trainings: those found in the store, and what is going on."""

from collections.abc import Callable
from typing import Any

_Progress = Callable[[int, float], None]


def tell_restored(progress: _Progress, trainings: int) -> None:
    """So many trainings were in the store: they count, but say nothing about the rate.

    >>> tell_restored(lambda trainings, seconds: print(trainings, seconds), 5)
    5 0.0
    """
    told: Any = getattr(progress, "restored", None)
    if told is None:
        progress(trainings, 0.0)
    else:
        told(trainings)


def tell_phase(progress: _Progress, words: str) -> None:
    """What is going on from now on; a plain function is not told."""
    told: Any = getattr(progress, "phase", None)
    if told is not None:
        told(words)
