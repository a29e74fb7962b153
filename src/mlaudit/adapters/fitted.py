"""A mechanism made of an object that has nothing but fit."""

import copy
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Number
from typing import Any, cast

import numpy as np
from numpy.random import MT19937, RandomState, SeedSequence, default_rng

from mlaudit.adapters.estimator import numeric_attributes
from mlaudit.errors import InvalidInput
from mlaudit.naming.as_code import write_constructor, write_imports_of
from mlaudit.naming.describe import mechanism_name
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.frame import FRAME
from mlaudit.types.outputs import FLATTEN, FLATTEN_IMPORT
from mlaudit.types.recipe import Recipe
from mlaudit.types.traits import Traits, traits_of

_RNG, _STATE = "rng", "random_state"


@dataclass(frozen=True)
class FittedMechanism:
    """A mechanism made of a learner with fit(X), fit(X, y) or fit(X, y, rng), perhaps with bounds.

    `bounds` are the least and the greatest value, of all columns or column by column; without them the domain is that
    of the data. The attribute `labels`, if there is one, lists the labels that rows may carry. The output is what fit
    returns, if that is numbers; else it is every number or array that fit leaves in the object. Each training fits a
    fresh copy.

    Args:
        learner: The object. `random_state` may stand in place of `rng`. Without either, fit draws from global
            generators, which are seeded before each training, or from elsewhere: then results are not repeatable.
        claim: The privacy that it claims.

    Raises:
        InvalidInput: If the bounds are not two values.

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
        self.domain(Dataset([0.0]))

    @property
    def traits(self) -> Traits:
        """The traits that the learner declares, with its name and labels; the summary does not depend on x*."""
        declared = traits_of(self.learner)
        labels = getattr(self.learner, "labels", declared.labels)
        return replace(declared, name=mechanism_name(self.learner), labels=labels, uses_target=False)

    def domain(self, data: Dataset) -> Domain | None:
        """The learner's bounds and labels, which do not depend on the data; without bounds the domain of the data."""
        if not hasattr(self.learner, "bounds"):
            return data.domain
        try:
            low, high = self.learner.bounds
            box = Box(low, high, self.traits.labels)
        except InvalidInput:
            raise
        except (TypeError, ValueError):
            raise InvalidInput(
                f"{self.traits.name}.bounds must be a least and a greatest value, as in (0, 1), "
                f"got {self.learner.bounds!r}"
            ) from None
        return box

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Fit a fresh copy; return what its fit returned, or the copy if that is nothing."""
        learner = copy.deepcopy(self.learner)
        given: dict[str, Any] = {_RNG: default_rng(seed), _STATE: RandomState(MT19937(seed)), "y": data.y}
        named = {name: given[name] for name in self._fit_parameters if name in given}
        X = data.frame() if isinstance(data.domain, Columns) else data.X
        returned = learner.fit(X, **named)
        return learner if returned is None else returned

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """τ: the returned numbers, or the fitted attributes."""
        if isinstance(model, np.ndarray | np.generic | Number | list | tuple):
            return cast(FloatArray, model)  # checked to be numbers where outcomes are observed
        found = numeric_attributes(model)
        if not found:
            raise InvalidInput(
                f"{self.traits.name}.fit must return numbers or leave some in attributes whose names end in _, "
                "got neither"
            )
        return np.concatenate([found[name] for name in sorted(found)])

    def recipe(self, domain: Domain | None) -> Recipe:
        """Fit the learner and return its numbers."""
        given = {"y": "y", _RNG: "np.random.default_rng(seed)", _STATE: "np.random.RandomState(seed)"}
        named = ", ".join(["X", *(f"{name}={given[name]}" for name in self._fit_parameters if name in given)])
        table = f"X = {FRAME}\n" if isinstance(domain, Columns) else ""
        body = (
            f"{FLATTEN}\n{table}"
            f"learner = {write_constructor(self.learner)}\n"
            f"returned = learner.fit({named})\n"
            "if returned is not None:\n"
            "    return flatten(returned)\n"
            "found = {k: flatten(v) for k, v in vars(learner).items() if k.endswith('_')}\n"
            "return np.concatenate([found[k] for k in sorted(found)])"
        )
        return Recipe((FLATTEN_IMPORT, *write_imports_of(self.learner)), body)

    @property
    def _fit_parameters(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self.learner.fit).parameters


def is_fitted(value: object) -> bool:
    """Whether an object has fit, and is no estimator; one that can be called needs bounds as well."""
    fits = callable(getattr(value, "fit", None)) and not hasattr(value, "get_params")
    return fits and (hasattr(value, "bounds") or not callable(value))
