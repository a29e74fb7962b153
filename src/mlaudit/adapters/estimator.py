"""Any scikit-learn style estimator as a mechanism: its own fit is called for every training."""

import inspect
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import MT19937, RandomState, SeedSequence
from sklearn.base import clone

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import choice, having, instance
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, Label

Summary = Literal["auto", "attributes", "probabilities"]
_SUMMARIES = ("auto", "attributes", "probabilities")


@dataclass(frozen=True)
class EstimatorMechanism:
    """An estimator with fit(X, y) and random_state, and what it claims.

    The summary is every fitted numeric attribute ("attributes"), or predict_proba at x* and the probe points
    ("probabilities"); "auto" takes the attributes where there are any. `bounds` is the domain the estimator was
    configured with; without one it is the smallest box around D.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from mlaudit.types.claim import Claim
    >>> EstimatorMechanism(GaussianNB(), Claim(1.0))
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: GaussianNB must take a random_state, else its trainings cannot be repeated
    """

    estimator: Any
    claim: Claim
    bounds: Domain | None = None
    summarise: Summary = "auto"
    probes: FloatArray | None = None

    def __post_init__(self) -> None:
        having("estimator", self.estimator, "an estimator", ("fit", "get_params"))
        instance("claim", self.claim, Claim, "as in claim=Claim(1.0)")
        if self.bounds is not None:
            having("bounds", self.bounds, "a Box, an L2Ball, or an object", ("contains", "project"))
        choice("way to summarise", self.summarise, _SUMMARIES)
        if self.probes is not None:
            object.__setattr__(self, "probes", numbers("probes", self.probes))
        if not any(_is_seed(name) for name in self.estimator.get_params(deep=True)):
            raise InvalidInput(f"{self.name} must take a random_state, else its trainings cannot be repeated")

    @property
    def name(self) -> str:
        """The estimator's class."""
        return type(self.estimator).__name__

    def domain(self, data: Dataset) -> Domain:
        """The configured bounds, or the smallest box around D with D's labels."""
        if self.bounds is not None:
            return self.bounds
        labels: tuple[Label, ...] | None = None if data.y is None else tuple(np.unique(data.y).tolist())
        return Box.enclosing(data.X, labels)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """A clone, fitted with generators of full entropy, one for each random_state it or its parts take."""
        model = clone(self.estimator)
        names = sorted(name for name in model.get_params(deep=True) if _is_seed(name))
        seeds = seed.spawn(len(names))
        model.set_params(**{n: RandomState(MT19937(s)) for n, s in zip(names, seeds, strict=True)})
        return model.fit(data.X) if data.y is None else model.fit(data.X, data.y)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """τ, as `summarise` says."""
        values = {} if self.summarise == "probabilities" else numeric_attributes(model)
        if values:
            return np.concatenate([values[name] for name in sorted(values)])
        return self._probabilities(model, target)

    def _probabilities(self, model: Any, target: FloatArray | None) -> FloatArray:
        points = [p.reshape(-1, model.n_features_in_) for p in (target, self.probes) if p is not None]
        if not hasattr(model, "predict_proba") or not points:
            raise InvalidInput(
                f"{self.name} must show fitted numbers, or predict_proba at probe points, got neither; "
                "give probes=, or write a mechanism with a summary of its own"
            )
        return np.asarray(model.predict_proba(np.vstack(points)), dtype=float).ravel()


def numeric_attributes(model: Any) -> dict[str, FloatArray]:
    """The fitted public attributes of a model that are numbers, flattened.

    >>> from sklearn.preprocessing import StandardScaler
    >>> sorted(numeric_attributes(StandardScaler().fit([[0.0], [2.0]])))
    ['mean_', 'n_features_in_', 'n_samples_seen_', 'scale_', 'var_']
    """
    found = {}
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and not inspect.isroutine(value):
            array = np.asarray(value) if isinstance(value, np.ndarray | np.generic | int | float) else None
            if array is not None and array.dtype.kind in "biuf":
                found[name] = array.astype(float).ravel()
    return found


def _is_seed(name: str) -> bool:
    return name == "random_state" or name.endswith("__random_state")
