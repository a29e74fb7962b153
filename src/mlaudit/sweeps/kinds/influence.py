"""How far an attack's point moves the learner's surrogate, and how far from spherical the data are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import default_rng

from mlaudit.changes import changed_rows
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Attack, Engine, Mechanism, Store
from mlaudit.sampling import Progress
from mlaudit.surrogates import HasSurrogate, Surrogate, influence
from mlaudit.sweeps.cells import Cell
from mlaudit.sweeps.kinds import audit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

KEYS = audit.KEYS


@dataclass(frozen=True)
class InfluenceJob:
    """One point of one attack on one dataset."""

    mechanism: Mechanism
    data: Dataset
    attack: Attack
    seed: int

    trainings = 0
    share = ""
    at_once = True

    def measure(self, engine: Engine, store: Store, progress: Progress) -> Mapping[str, Any]:
        """‖I(x*)‖, the mean ‖I‖ of the dataset's own rows, their ratio, and the non-sphericity."""
        if not isinstance(self.mechanism, HasSurrogate):
            raise InvalidInput("influence needs a learner with a surrogate, got one without; use logistic regression")
        data = self.data.within(self.mechanism.domain(self.data))
        surrogate = self.mechanism.surrogate(data)
        moved = of_point(surrogate, self.attack(self.mechanism, data, 1, default_rng(self.seed)))
        mean = of_rows(surrogate, data)
        shape = non_sphericity(data.X)
        return {"non_sphericity": shape, "influence": moved, "mean_influence": mean, "relative": moved / mean}


def jobs(cells: Sequence[Cell]) -> Iterator[InfluenceJob]:
    """A job for each cell."""
    for job in audit.jobs(cells):
        if job.data is None or job.attacks is None or len(job.attacks) != 1:
            raise InvalidInput("a cell of kind influence must have data and one attack; add them to [grid]")
        yield InfluenceJob(job.mechanism, job.data, job.attacks[0], job.seed)


def non_sphericity(X: FloatArray) -> float:
    """Largest over smallest singular value of the centred rows, constant directions left out.

    >>> non_sphericity(np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
    3.0
    """
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return float(values[0] / values[values > 1e-9 * values[0]][-1])


def of_point(surrogate: Surrogate, pair: Pair) -> float:
    """‖I‖ of the row that an attack puts in."""
    row = changed_rows(pair)[0]
    return _norm(surrogate, pair.neighbour.X[row], np.asarray(pair.neighbour.y)[row])


def of_rows(surrogate: Surrogate, data: Dataset) -> float:
    """The mean ‖I‖ of a dataset's rows."""
    return float(np.mean([_norm(surrogate, x, y) for x, y in zip(data.X, np.asarray(data.y), strict=True)]))


def _norm(surrogate: Surrogate, x: FloatArray, label: Any) -> float:
    return float(np.linalg.norm(influence(surrogate, x, int(label))))
