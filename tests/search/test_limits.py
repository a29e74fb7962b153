"""A search never changes so many rows that no outcome could refute the claim."""

from typing import Any

import pytest
from broken_learners import Sums

from mlaudit import Claim, Relation, audit
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.sequential import Sequential
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.search.worst import Worst


class Silent(Sums):
    """Noise alone: no pilot tells which number of rows is best."""

    def fit(self, X: Any, rng: Any) -> Any:
        return rng.laplace(size=1)


@pytest.mark.parametrize("procedure", [Progressive(), Sequential(), TwoPhase()])
@pytest.mark.parametrize("relation", Relation)
@pytest.mark.slow
def test_the_ceiling_of_the_chosen_rows_is_above_the_claim(procedure: Any, relation: Relation) -> None:
    learner = FittedMechanism(Silent(), Claim(1.2, relation=relation))
    result = audit(learner, Worst(columns=1), procedure=procedure, trainings=300)
    assert result.finding.bound.ceiling > 1.2


@pytest.mark.slow
def test_where_no_number_of_rows_could_refute_the_claim_there_is_no_limit() -> None:
    result = audit(FittedMechanism(Silent(), Claim(50.0)), Worst(columns=1), trainings=500, rows=(2, 4))
    assert result.finding.bound.ceiling < 50
