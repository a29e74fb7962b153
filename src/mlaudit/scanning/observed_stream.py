"""A stream of trainings whose outputs are all readings of the fitted object, not only its summary."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.outcome import Outcome, pack
from mlaudit.drawing.stream import TrainingStream
from mlaudit.drawing.surroundings import guard_training, keep_global_generators
from mlaudit.scanning.readings import read_training, readings_of_death
from mlaudit.scanning.walk import Readings
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block


@dataclass(frozen=True, eq=False)
class ObservedOutcome(Outcome):
    """The readings of one training; there is no vector."""

    readings: Readings = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ObservedBlock(Block):
    """The readings of consecutive trainings."""

    readings: tuple[Readings, ...] = ()


@dataclass(frozen=True, eq=False)
class ObservedStream(TrainingStream):
    """The trainings of a stream, each with everything that its fitted object shows.

    `probes` are the rows that each model is asked about.
    """

    probes: FloatArray | None = None

    @property
    def batched(self) -> bool:
        """Never: only single trainings leave an object."""
        return False

    @property
    def elsewhere(self) -> None:
        """Nothing: the readings of a program's output are taken one by one."""
        return None

    def keep_generators(self) -> AbstractContextManager[None]:
        """The code of the learner is foreign in every case: its library fits it."""
        return keep_global_generators()

    def train_one(self, index: int) -> ObservedOutcome:
        """Run the training with that index and read the fitted object."""
        with guard_training(self.global_seeds(index)):
            readings = read_training(self.mechanism, copy(self.data), self.seed_of(index), self.probes)
        return ObservedOutcome(np.empty(0), readings=readings)

    def record_death(self, death: Death) -> ObservedOutcome:
        """Read the end of a process as an exception: everybody sees it."""
        return ObservedOutcome(np.empty(0), death.kind, readings=readings_of_death(death.kind))

    def pack(self, outcomes: Sequence[Outcome], seconds: tuple[float, float]) -> ObservedBlock:
        """Join the readings of consecutive trainings to a block."""
        plain = pack(outcomes, seconds)
        readings = tuple(cast(ObservedOutcome, outcome).readings for outcome in outcomes)
        return ObservedBlock(plain.z, plain.lengths, plain.kinds, plain.error, *seconds, readings=readings)
