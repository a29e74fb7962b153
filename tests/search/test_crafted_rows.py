"""Learners that leak on few rows only: the search crafts such rows, and an exception is an output like any other."""

from typing import Any

import pytest
from broken_learners import RefusesAll, RefusesConstantColumns, RefusesEqualRows, RefusesOneClass

from mlaudit import Claim, audit
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.errors import InvalidInput
from mlaudit.search.labels import find_labels
from mlaudit.search.worst import Worst


def learner(broken: Any) -> FittedMechanism:
    return FittedMechanism(broken, Claim(1.0))


def test_a_learner_that_raises_on_some_rows_is_searched_all_the_same() -> None:
    assert find_labels(learner(RefusesEqualRows()), Worst()) is None
    assert find_labels(learner(RefusesOneClass()), Worst()) == (0, 1)
    with pytest.raises(InvalidInput, match="RefusesAll must train on some crafted rows within its domain, got an"):
        audit(learner(RefusesAll()), Worst())


@pytest.mark.slow
@pytest.mark.parametrize("broken", [RefusesOneClass, RefusesConstantColumns])
def test_an_exception_on_one_side_is_a_violation(broken: Any) -> None:
    result = audit(learner(broken()), Worst(), trainings=4000)
    assert result.violated, result.attack
    assert any("raised" in note for note in result.provenance.notes)
