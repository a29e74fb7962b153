"""An object with nothing but fit and bounds as a mechanism."""

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import MT19937, RandomState, SeedSequence, default_rng

from mlaudit.adapters.estimator import numeric_attributes
from mlaudit.describe import name_of
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Label

_RNG, _STATE = "rng", "random_state"


@dataclass(frozen=True)
class FittedMechanism:
    """A learner with fit(X, rng) or fit(X, y, rng), the bounds it was made for, and what it claims.

    `bounds` are the least and the greatest value, of every column or column by column; `labels`, if it has such an
    attribute, are those that rows may carry. Its output is what fit returns, if that is numbers, else every number
    or array that fit leaves in the object. Each training is done by a fresh copy.

    >>> class NoisySum:
    ...     bounds = (0, 1)
    ...     def fit(self, X, rng):
    ...         self.sum_ = X.sum(axis=0) + rng.laplace(size=X.shape[1])
    >>> learner = FittedMechanism(NoisySum(), Claim(1.0))
    >>> learner.summary(learner.fit(Dataset([[0.0, 1.0]]), SeedSequence(0)), None).shape
    (2,)
    """

    learner: Any
    claim: Claim

    def __post_init__(self) -> None:
        if not {_RNG, _STATE} & self._takes.keys():
            raise InvalidInput(
                f"{self.name}.fit must take its randomness as rng or random_state, got ({', '.join(self._takes)}); "
                "else its trainings cannot be repeated"
            )
        self.domain(Dataset([0.0]))

    @property
    def name(self) -> str:
        """The learner's class."""
        return name_of(self.learner)

    uses_target = False

    @property
    def labels(self) -> tuple[Label, ...] | None:
        """The labels that rows may carry, where the learner says so."""
        own = getattr(self.learner, "labels", None)
        return None if own is None else tuple(own)

    def domain(self, data: Dataset) -> Box:
        """The learner's bounds, whatever the data."""
        try:
            low, high = self.learner.bounds
            box = Box(low, high, self.labels)
        except InvalidInput:
            raise
        except (TypeError, ValueError):
            raise InvalidInput(
                f"{self.name}.bounds must be a least and a greatest value, as in (0, 1), got {self.learner.bounds!r}"
            ) from None
        return box

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """One training of a fresh copy; what it returned, or the copy itself."""
        learner = copy.deepcopy(self.learner)
        given: dict[str, Any] = {_RNG: default_rng(seed), _STATE: RandomState(MT19937(seed)), "y": data.y}
        named = {name: given[name] for name in self._takes if name in given}
        returned = learner.fit(data.X, **named)
        return learner if returned is None else returned

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """The numbers."""
        if isinstance(model, np.ndarray | np.generic | int | float | list | tuple):
            return np.ravel(np.asarray(model, dtype=float))
        found = numeric_attributes(model)
        if not found:
            raise InvalidInput(
                f"{self.name}.fit must return numbers or leave some in attributes whose names end in _, got neither"
            )
        return np.concatenate([found[name] for name in sorted(found)])

    @property
    def _takes(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.learner.fit).parameters


def is_fitted(value: object) -> bool:
    """Whether it has fit and bounds, and is neither an estimator nor a mechanism."""
    return callable(getattr(value, "fit", None)) and hasattr(value, "bounds") and not hasattr(value, "get_params")
