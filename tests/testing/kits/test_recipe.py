"""The kit of recipes tells every way in which a script can differ from the mechanism."""

from dataclasses import dataclass

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told
from numpy.random import SeedSequence, default_rng

from mlaudit.testing.recipe import check_recipe
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain
from mlaudit.types.pair import Pair
from mlaudit.types.recipe import Recipe

PAIR = Pair(Dataset([0.0, 0.5]), Dataset([1.0, 0.5]), target=[1.0])


@dataclass(frozen=True)
class Summed:
    """A noisy sum, and a script for it."""

    body: str = "z = X.sum() + default_rng(seed).laplace()\nreturn [z, TARGET[0]]"
    claim: Claim = Claim(1.0)  # noqa: RUF009 - frozen

    def domain(self, data: Dataset) -> Box:
        return Box([0.0], [1.0])

    def fit(self, data: Dataset, seed: SeedSequence) -> float:
        return float(data.X.sum() + default_rng(seed).laplace())

    def summary(self, model: float, target: FloatArray | None) -> FloatArray:
        return np.array([model, 1.0])

    def recipe(self, domain: Domain | None) -> Recipe:
        assert isinstance(domain, Box)
        return Recipe(("from numpy.random import default_rng",), self.body)


RUNS, SAME = "its recipe is code that runs", "its recipe gives what its own trainings give"
FAULTS = [
    Fault(Summed("return X.sum("), RUNS, "SyntaxError"),
    Fault(Summed("return unknown"), RUNS, "NameError"),
    Fault(Summed("return object()"), RUNS, "must return numbers"),
    Fault(Summed("return [X.sum() + default_rng(seed).laplace()]"), SAME, "the script gives 1 numbers, and fit 2"),
    Fault(Summed("return [X.sum() + default_rng(seed).laplace() / 9, 1.0]"), SAME, "on D they differ, above all in"),
    Fault(Summed("return [0.5 + default_rng(seed).laplace() / 2, 1.0 - X[0, 0]]"), SAME, "on D′ they differ"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.detail)
def test_a_broken_recipe_is_told(fault: Fault) -> None:
    # Fails for a correct program with probability < 1e-9: the seeds of the trainings are fixed.
    assert_told(fault, check_recipe(fault.part, PAIR))


def test_every_check_can_fail() -> None:
    checks = check_recipe(Summed(), PAIR)
    # Fails for a correct program with probability < 1e-6: for unusual samples, whose seeds are fixed.
    assert_healthy(checks)
    assert_every_check_can_fail(FAULTS, checks)
