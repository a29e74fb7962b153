"""The task of a scan's first look: trainings of one arm, as somebody sees them who gets the fitted object."""

import os
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field

from mlaudit.arms import Arm, Clock
from mlaudit.deaths import Death
from mlaudit.scanning.observing import dead, observe
from mlaudit.scanning.walk import Readings
from mlaudit.surroundings import restore_surroundings
from mlaudit.types.arrays import FloatArray

Seen = tuple[dict[int, Readings], float]  # what the training at each place shows, and the CPU seconds they took


@dataclass(frozen=True)
class LookAt:
    """Looks at the trainings at some places of an arm; with `isolate` each of them has a process of its own."""

    arm: Arm
    probes: FloatArray
    isolate: bool = False
    home: int = field(default_factory=os.getpid)

    @property
    def foreign(self) -> bool:
        """Whether the learner, or a part of it, is not shipped with mlaudit."""
        return self.arm.foreign

    def __call__(self, places: range) -> Seen:
        """All of them here, one after the other."""
        began = Clock()
        return self.together(places, [self.one(place) for place in places], began.spent())

    def parts(self, places: range) -> Sequence[int]:
        """One training each."""
        return places

    def one(self, place: int) -> Readings:
        """What one training shows."""
        arm = self.arm
        with restore_surroundings(arm.global_seeds(place)):
            return observe(arm.mechanism, copy(arm.data), arm.seed_of(place), self.probes)

    def died(self, place: int, death: Death) -> Readings:
        """The end of a process is seen by everybody, like an exception."""
        return dead(death.kind)

    def together(self, places: range, made: Sequence[Readings], seconds: tuple[float, float]) -> Seen:
        """The readings by their places; CPU seconds of this task's own process are counted elsewhere."""
        return dict(zip(places, made, strict=True)), 0.0 if os.getpid() == self.home else seconds[0]
