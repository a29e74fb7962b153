"""A learner seen through one number: the probability it gives to the second class at x*."""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.random import SeedSequence

from mlaudit.adapters.convert import mechanism_name
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain


@runtime_checkable
class Predicts(Protocol):
    """A mechanism whose models can be asked for probabilities."""

    def probability(self, model: Any, X: FloatArray) -> FloatArray:
        """P(second class) for each row."""


@dataclass(frozen=True)
class AtTarget:
    """The same learner and training, with τ = P(x*): what attacks on a model's loss or prediction look at."""

    mechanism: Mechanism

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, Predicts):
            raise InvalidInput(f"{mechanism_name(self.mechanism)} gives no probabilities to look at")

    @property
    def name(self) -> str:
        """The learner's own name: the training is the same."""
        return mechanism_name(self.mechanism)

    @property
    def library(self) -> str | None:
        """Where the learner comes from."""
        return getattr(self.mechanism, "library", None)

    @property
    def claim(self) -> Claim:
        """The learner's claim."""
        return self.mechanism.claim

    def domain(self, data: Dataset) -> Domain | None:
        """The learner's domain."""
        return self.mechanism.domain(data)

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """The learner's training."""
        return self.mechanism.fit(data, seed)

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """P(x*)."""
        if target is None:
            raise InvalidInput("a prediction at the changed point needs a pair with a target, got none")
        return np.asarray(self.mechanism.probability(model, target[None, :]))  # type: ignore[attr-defined]  # checked when made


def at_target(mechanism: Mechanism) -> Mechanism:
    """The learner seen at x* alone; one whose summary is its predictions there (`black_box`) as it is."""
    return mechanism if getattr(mechanism, "black_box", False) else AtTarget(mechanism)
