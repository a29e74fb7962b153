"""How far an attack's point moves the learner's surrogate, and how far from spherical the data are."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import default_rng

from mlaudit.attacks._changes import changed_rows
from mlaudit.attacks._surrogates import HasSurrogate, Surrogate, influence
from mlaudit.auditing.spec import AuditSpec
from mlaudit.drawing.progress import ProgressFunction
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Attack, Engine, Mechanism, Store
from mlaudit.sweep.kinds.audit import AuditKind
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class InfluenceMeasurement:
    """One point of one attack on one dataset."""

    mechanism: Mechanism
    dataset: Dataset | None
    attack: Attack
    seed: int

    trainings = 0
    share = ""
    at_once = True

    def with_dataset(self, data: Dataset | None) -> "InfluenceMeasurement":
        """The same attack on other data."""
        return replace(self, dataset=data)

    def measure(self, engine: Engine, store: Store, progress: ProgressFunction) -> Mapping[str, Any]:
        """‖I(x*)‖, the mean ‖I‖ of the dataset's own rows, their ratio, and the non-sphericity."""
        if not isinstance(self.mechanism, HasSurrogate) or self.dataset is None:
            raise InvalidInput("influence needs a learner with a surrogate, got one without; use logistic regression")
        data = self.dataset.within(self.mechanism.domain(self.dataset))
        surrogate = self.mechanism.surrogate(data)
        moved = influence_of_point(surrogate, self.attack(self.mechanism, data, 1, default_rng(self.seed)))
        mean = mean_influence(surrogate, data)
        shape = non_sphericity(data.X)
        return {"non_sphericity": shape, "influence": moved, "mean_influence": mean, "relative": moved / mean}


@dataclass(frozen=True)
class InfluenceKind:
    """The influence of the point that an audit would put in."""

    spec: ClassVar = AuditSpec
    audits: AuditKind = field(default_factory=AuditKind)

    def prepare(self, spec: AuditSpec) -> InfluenceMeasurement:
        """The measurement of the audit's one attack."""
        measurement = self.audits.prepare(spec)
        data, audit = measurement.dataset, measurement.audit
        if data is None or audit.attack is None or len(audit.attack) != 1:
            raise InvalidInput("a cell of kind influence must have data and one attack; add them to [grid]")
        return InfluenceMeasurement(audit.mechanism, data, audit.attack[0], audit.seed)


def non_sphericity(X: FloatArray) -> float:
    """Largest over smallest singular value of the centred rows, constant directions left out.

    >>> non_sphericity(np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]]))
    3.0
    """
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    return float(values[0] / values[values > 1e-9 * values[0]][-1])


def influence_of_point(surrogate: Surrogate, pair: Pair) -> float:
    """‖I‖ of the row that an attack puts in."""
    row = changed_rows(pair)[0]
    return _norm(surrogate, pair.neighbour.X[row], np.asarray(pair.neighbour.y)[row])


def mean_influence(surrogate: Surrogate, data: Dataset) -> float:
    """The mean ‖I‖ of a dataset's rows."""
    return float(np.mean([_norm(surrogate, x, y) for x, y in zip(data.X, np.asarray(data.y), strict=True)]))


def _norm(surrogate: Surrogate, x: FloatArray, label: Any) -> float:
    return float(np.linalg.norm(influence(surrogate, x, int(label))))
