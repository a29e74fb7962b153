"""Mechanisms whose trainings run in programs of their own, many to a request."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.random import SeedSequence

from mlaudit.types.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Trained:
    """Trainings that have ended, and the CPU seconds that they took in other processes.

    Each call returns the model of its training, or raises what the training raised. `DiedElsewhere` says that the
    training ended its program.
    """

    calls: Sequence[Callable[[], Any]]
    cpu_seconds: float = 0.0


class TrainMany(Protocol):
    """The method `train_many` of a mechanism: every training depends on its own seed alone."""

    def __call__(self, data: Dataset, seeds: Sequence[SeedSequence]) -> Trained:
        """Train once for each seed."""


def find_train_many(mechanism: object) -> TrainMany | None:
    """The method of a mechanism that trains elsewhere; None if its `fit` runs in this process.

    >>> find_train_many(object()) is None
    True
    """
    found: TrainMany | None = getattr(mechanism, "train_many", None)
    return found
