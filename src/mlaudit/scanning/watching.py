"""A learner whose output is what each suspect says of a training: one fit serves them all."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.adapters.convert import mechanism_name
from mlaudit.protocols import Draw, Mechanism
from mlaudit.scanning.observing import dead, observe
from mlaudit.scanning.suspects import Suspect
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.draws import Draws


@dataclass(frozen=True, eq=False)
class Watched:
    """The learner's own fit, seen through the suspects' eyes: τ is the score that each of them gives.

    Its trainings are not those that chose the suspects: these are part of what its seeds are derived from.
    """

    mechanism: Mechanism
    probes: FloatArray
    suspects: tuple[Suspect, ...]

    uses_target = False

    @property
    def claim(self) -> Claim:
        """The learner's claim."""
        return self.mechanism.claim

    @property
    def name(self) -> str:
        """The learner's name."""
        return mechanism_name(self.mechanism)

    @property
    def library(self) -> str | None:
        """Where the learner comes from."""
        return getattr(self.mechanism, "library", None)

    def domain(self, data: Dataset) -> Domain | None:
        """The learner's domain."""
        return self.mechanism.domain(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """All that one training shows."""
        return observe(self.mechanism, data, seed, self.probes)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """One score for each suspect."""
        return np.array([suspect.score(model) for suspect in self.suspects])

    def of_death(self, kind: str) -> FloatArray:
        """The scores of a training that ended its own process: they tell that, too."""
        return self.summary(dead(kind), None)


@dataclass
class One:
    """The trainings of a pair as one of the suspects sees them."""

    draw: Draw
    column: int

    pilot = None

    @property
    def remaining(self) -> int:
        """How many trainings are left."""
        return self.draw.remaining

    def coins(self, n: int) -> IntArray:
        """The pair's own coin flips."""
        return self.draw.coins(n)

    def __call__(self, labels: IntArray) -> Draws:
        """One fresh training for each label."""
        drawn = self.draw(labels)
        return Draws(drawn.labels, drawn.z[:, [self.column]], drawn.kinds, drawn.index, drawn.arms)


@dataclass(frozen=True)
class Score:
    """Guesses as the suspect's score says."""

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw."""
        return draws.z[:, 0]
