"""refute() and assert_private() of data with units: every detector stays within whole units."""

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair, Relation, refute
from mlaudit.errors import InvalidInput
from mlaudit.refuting.crafting import plan_units
from mlaudit.testing import assert_private

OWNERS = np.repeat(np.arange(6), 3)
DATA = Dataset((OWNERS % 2).astype(float), units=OWNERS, unit="user")


def mean_per_row(data: Dataset, rng: Generator) -> float:
    return float(data.X.mean() + rng.laplace(scale=1 / len(data.X)))


def mean_per_user(data: Dataset, rng: Generator) -> float:
    """Needs the owners: a detector that crafts data without them would fail it."""
    assert data.units is not None
    first = np.unique(data.units, return_index=True)[1]
    return float(data.X[first].mean() + rng.laplace(scale=1 / len(first)))


def count_per_user(data: Dataset, rng: Generator) -> float:
    """The number of users, for add-remove."""
    assert data.units is not None
    return float(len(np.unique(data.units)) + rng.laplace())


@pytest.mark.slow
def test_a_claim_for_rows_is_no_claim_for_users() -> None:
    # Fails for a correct program with probability < 1e-6: the loss of a user with three rows is 3.
    found = refute(mean_per_row, DATA, claim=Claim(1.0), effort="smoke")
    assert found.violated
    assert found.claim.unit == "user"
    assert found.findings[0].pair.steps(Relation.REPLACE_ONE) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("learner", "relation"), [(mean_per_user, Relation.REPLACE_ONE), (count_per_user, Relation.ADD_REMOVE)]
)
def test_learners_that_protect_users_are_not_refuted(learner: object, relation: Relation) -> None:
    # Fails for a correct program with probability < 2e-6: α of both cases.
    found = refute(learner, DATA, claim=Claim(1.0, relation=relation), trainings=200, alpha=1e-6)
    assert not found.violated
    assert not any("Assertion" in one.why for one in found.skipped)
    assert not any("AssertionError" in note for note in found.notes)


@pytest.mark.slow
def test_a_pair_with_units_states_the_unit() -> None:
    other = DATA.with_rows(np.where(OWNERS[:, None] == 0, 1.0, DATA.X))
    # Fails for a correct program with probability < 1e-6: the loss is 3.
    found = refute(mean_per_row, pair=Pair(DATA, other), claim=Claim(1.0), effort="smoke")
    assert (found.violated, found.claim.unit) == (True, "user")


@pytest.mark.slow
def test_assert_private_takes_units() -> None:
    # Fails for a correct program with probability < 1e-6: its flake rate.
    assert_private(mean_per_user, DATA, epsilon=1.0, flake_rate=1e-6, trainings=100)


def test_units_of_crafted_data_are_those_of_the_data() -> None:
    assert (plan_units(DATA, None, None).unit_rows, plan_units(DATA, 5, None).unit_rows) == (3, 5)
    large = Dataset(np.zeros(300), units=np.zeros(300, dtype=int))
    assert plan_units(large, None, None).unit_rows == 50
    assert plan_units(None, None, None).unit_rows is None
    with pytest.raises(InvalidInput, match="units of crafted data need data with units, got none"):
        plan_units(Dataset([0.0]), 3, None)
    with pytest.raises(InvalidInput, match="a claim about the unit user needs data with units, got none"):
        refute(mean_per_row, Dataset([0.0, 1.0]), claim=Claim(1.0, unit="user"))
