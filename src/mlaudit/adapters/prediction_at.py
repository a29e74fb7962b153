"""A mechanism with another summary: the probability of the second class at x*."""

from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.traits import Traits, traits_of

DESCRIBED_AS = "AtTarget"  # the name in descriptions, from which seeds are derived


@runtime_checkable
class Predicts(Protocol):
    """A mechanism whose models give probabilities."""

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """P(second class) for each row."""


@dataclass(frozen=True)
class PredictionAt:
    """The same training with τ = P(x*), for attacks on a model's loss or prediction."""

    mechanism: Mechanism

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Predicts):
            raise InvalidInput(f"{mechanism_name(self.mechanism)} gives no probabilities to look at")

    @property
    def __name__(self) -> str:
        """The name in descriptions. Seeds depend on it, so it never changes."""
        return DESCRIBED_AS

    @property
    def traits(self) -> Traits:
        """The mechanism's traits, without those of its summary and without the attacks on that summary."""
        own = traits_of(self.mechanism)
        name = mechanism_name(self.mechanism)
        return replace(own, name=name, attacks=(), uses_target=True, black_box=True, flag=None)

    @property
    def claim(self) -> Claim:
        """The mechanism's claim."""
        return self.mechanism.claim

    def domain(self, data: Dataset) -> Domain | None:
        """The mechanism's domain."""
        return self.mechanism.domain(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The mechanism's training."""
        return self.mechanism.fit(data, seed)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """P(x*)."""
        if target is None:
            raise InvalidInput("a prediction at the changed point needs a pair with a target, got none")
        return np.asarray(self.mechanism.probability(model, target[None, :]))  # type: ignore[attr-defined]  # checked when made


def observe_prediction(mechanism: Mechanism) -> Mechanism:
    """The mechanism with P(x*) as its summary; unchanged if its summary is its predictions at x* already."""
    return mechanism if traits_of(mechanism).black_box else PredictionAt(mechanism)
