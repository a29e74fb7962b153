"""The highest ε that an audit could show, before it is run: what it would say of a mechanism that hides nothing."""

from dataclasses import dataclass, field

import numpy as np
from numpy.random import SeedSequence

from mlaudit.auditing.call import audit
from mlaudit.auditing.choose import SelectionPlan
from mlaudit.naming.describe import describe
from mlaudit.protocols import Procedure
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Revealing:
    """Says which dataset it was given."""

    claim: Claim

    def domain(self, data: Dataset) -> None:
        """Any data will do."""

    def fit(self, data: Dataset, seed: SeedSequence) -> Dataset:
        """The data themselves."""
        return data

    def summary(self, model: Dataset, target: FloatArray | None) -> FloatArray:
        """The sum of all rows."""
        return np.array([model.X.sum()])

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> FloatArray:
        """The same, n times."""
        return np.full((n, 1), data.X.sum())


@dataclass(frozen=True)
class Ceilings:
    """Highest ε by what it depends on, each worked out once.

    >>> from mlaudit.procedures.progressive import Progressive
    >>> ceilings = Ceilings()
    >>> round(ceilings.highest_epsilon(Progressive(), Claim(1.0), 4000, 0.05, steps=1, chosen=False), 2)
    7.12
    """

    known: dict[str, float] = field(default_factory=dict)

    def highest_epsilon(
        self, procedure: Procedure, claim: Claim, trainings: int, alpha: float, *, steps: int, chosen: bool
    ) -> float:
        """The bound's ceiling; where the pair is `chosen` among several, a part of the trainings goes into that."""
        counted = trainings - int(SelectionPlan.share * trainings) if chosen else trainings
        key = str((describe(procedure), describe(claim), counted, alpha, steps))
        if key not in self.known:
            self.known[key] = self._compute(procedure, claim, counted, alpha, steps)
        return self.known[key]

    def _compute(self, procedure: Procedure, claim: Claim, trainings: int, alpha: float, steps: int) -> float:
        stated = Claim(claim.epsilon, claim.delta, Relation.REPLACE_ONE, gaussian=claim.gaussian)
        pair = Pair(Dataset(np.zeros((steps, 1))), Dataset(np.ones((steps, 1))))
        result = audit(
            Revealing(stated), pair=pair, procedure=procedure, trainings=trainings, alpha=alpha, repeat=False
        )
        return result.finding.bound.ceiling
