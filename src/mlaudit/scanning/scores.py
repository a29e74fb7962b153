"""A learner whose summary τ is the score of every suspect: one training serves all suspects of a neighbour."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Draw, Mechanism
from mlaudit.scanning.readings import read_training, readings_of_death
from mlaudit.scanning.suspects import Suspect
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.draws import Draws
from mlaudit.types.traits import Traits, traits_of

DESCRIBED_AS = "Watched"  # in results and seeds


@dataclass(frozen=True, eq=False)
class SuspectScores:
    """The learner's own fit with another summary: the score of each suspect.

    Seeds are derived from the suspects too. So the trainings that count are not those that chose the suspects.
    """

    mechanism: Mechanism
    probes: FloatArray
    suspects: tuple[Suspect, ...]

    @property
    def traits(self) -> Traits:
        """Those of the mechanism that hold of its scores."""
        return Traits(
            name=mechanism_name(self.mechanism), library=traits_of(self.mechanism).library, uses_target=False
        )

    @property
    def __name__(self) -> str:
        """The name in descriptions. Seeds depend on it, so it never changes."""
        return DESCRIBED_AS

    @property
    def claim(self) -> Claim:
        """The learner's claim."""
        return self.mechanism.claim

    def domain(self, data: Dataset) -> Domain | None:
        """The learner's domain."""
        return self.mechanism.domain(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Train once and return all readings."""
        return read_training(self.mechanism, data, seed, self.probes)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """One score for each suspect."""
        return np.array([suspect.score(model) for suspect in self.suspects])

    def death_summary(self, kind: str) -> FloatArray:
        """The scores of a training that ended its own process."""
        return self.summary(readings_of_death(kind), None)


@dataclass
class Column:
    """The trainings of a pair with the score of one suspect as their output."""

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
        return Draws(drawn.labels, drawn.z[:, [self.column]], drawn.kinds, drawn.index, drawn.streams)


@dataclass(frozen=True)
class Score:
    """The suspect's own score as the log-odds."""

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw."""
        return draws.z[:, 0]
