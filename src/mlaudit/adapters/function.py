"""A plain function f(data, rng) as a mechanism."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator, SeedSequence, default_rng

from mlaudit.describe import name_of
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import function, instance
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain

Function = Callable[[Dataset, Generator], Any]


@dataclass(frozen=True)
class FunctionMechanism:
    """A randomised function of a dataset and a generator, and what it claims.

    >>> import numpy as np
    >>> noisy_sum = FunctionMechanism(lambda data, rng: data.X.sum() + rng.laplace(), Claim(1.0))
    >>> model = noisy_sum.fit(Dataset([1.0, 2.0]), SeedSequence(0))
    >>> bool(np.isfinite(noisy_sum.summary(model, None)))
    True
    """

    function: Function
    claim: Claim

    def __post_init__(self) -> None:
        function("function", self.function, "a function of (data, rng)")
        instance("claim", self.claim, Claim, "as in claim=Claim(1.0)")

    @property
    def name(self) -> str:
        """The function's own name."""
        return name_of(self.function)

    uses_target = False

    def domain(self, data: Dataset) -> Domain | None:
        """What the data came with: a function declares none."""
        return data.domain

    def fit(self, data: Dataset, seed: SeedSequence) -> Any:
        """Call the function once."""
        return self.function(data, default_rng(seed))

    def summary(self, model: Any, target: FloatArray | None) -> FloatArray:
        """What the function returned."""
        return model  # type: ignore[no-any-return]  # checked to be numbers where outcomes are observed
