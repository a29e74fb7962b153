"""Learners that leak on few rows only: the search crafts such rows, and an exception is an output like any other."""

from typing import Any

import numpy as np
import pytest
from broken_learners import (
    ForgetsToClip,
    LeaksOneOfFifty,
    PassesNaN,
    ReadsSigns,
    RefusesAll,
    RefusesConstantColumns,
    RefusesEqualRows,
    RefusesHighRows,
    RefusesNaN,
    RefusesOneClass,
    RoundsInTwoWays,
    Sums,
    SwapsWidths,
)

from mlaudit import Box, Claim, Dataset, Relation, audit
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.attacks.search import Search
from mlaudit.errors import InvalidInput
from mlaudit.search.labels import find_labels
from mlaudit.search.move import Setting
from mlaudit.search.pool import pool_moves
from mlaudit.search.run import SearchResult, search_neighbours
from mlaudit.search.worst import Worst, domains
from mlaudit.types.clipping import ClippingBox, is_outside

FEW = 100  # pilots of an audit with 500 trainings
LEAKS: dict[str, tuple[Any, str, int, str]] = {
    "two equal rows": (RefusesEqualRows(), "", FEW, ""),
    "one class": (RefusesOneClass(), "", FEW, "made"),
    "a constant column": (RefusesConstantColumns(), "", FEW, ""),
    "half-way": (RoundsInTwoWays(), "", FEW, "half-way"),
    "one column of fifty": (LeaksOneOfFifty(), "", FEW, ""),
    "unequal widths": (SwapsWidths(), "", FEW, "upper"),
    "no clip": (ForgetsToClip(), "finite", FEW, ""),
    "NaN passes": (PassesNaN(), "any", FEW, "NaN"),
    "NaN raises": (RefusesNaN(), "any", FEW, "NaN"),
    "a negative zero": (ReadsSigns(), "any", 400, "negative zero"),
}


def learner(broken: Any) -> FittedMechanism:
    return FittedMechanism(broken, Claim(1.0))


def search(broken: Any, outside: str, budget: int) -> SearchResult:
    return search_neighbours(
        learner(broken), Worst(), Relation.REPLACE_ONE, (2, 1), budget, 0, search=Search(outside=outside)
    )


# Fails for a correct program with probability < 1e-6: pilots share their noise, so that it hides no difference; the
# leaking outputs differ by five of its deviations or more, or by their kind.
@pytest.mark.slow
@pytest.mark.parametrize("leak", LEAKS)
def test_few_pilots_find_rows_that_leak(leak: str) -> None:
    broken, outside, budget, word = LEAKS[leak]
    found = search(broken, outside, budget)
    assert found.spent <= budget
    assert word in found.candidates[0].attack
    best = found.candidates[0]
    assert best.score >= 1.2
    assert is_outside(best.pair.neighbour.X, best.pair.neighbour.domain).any() == bool(outside)


@pytest.mark.slow
def test_few_pilots_try_many_candidates_and_none_leaves_the_domain_unasked() -> None:
    found = search(Sums(), "", FEW)
    assert found.tried >= 10
    for one in found.candidates:
        assert isinstance(one.pair.base.domain, Box)
        assert not isinstance(one.pair.base.domain, ClippingBox)


def test_a_learner_that_raises_on_some_rows_is_searched_all_the_same() -> None:
    assert find_labels(learner(RefusesEqualRows()), Worst()) is None
    assert find_labels(learner(RefusesOneClass()), Worst()) == (0, 1)
    assert find_labels(learner(RefusesHighRows()), Worst()) is None
    with pytest.raises(InvalidInput, match="RefusesAll must train on some crafted rows within its domain, got an"):
        audit(learner(RefusesAll()), Worst())


@pytest.mark.slow
def test_an_exception_on_one_side_is_a_violation() -> None:
    result = audit(learner(RefusesOneClass()), Worst(), trainings=500)
    assert result.violated, result.attack
    assert any("raised ValueError" in note for note in result.provenance.notes)


@pytest.mark.slow
def test_a_violation_outside_the_domain_says_that_the_learner_does_not_clip() -> None:
    result = audit(learner(ForgetsToClip()), Worst(), attack=Search(outside="finite"), trainings=500)
    assert result.violated, result.attack
    assert is_outside(result.pair.neighbour.X, result.pair.neighbour.domain).any()
    said = " ".join(result.provenance.notes)
    assert "legal only because the learner promises to clip" in said
    assert "rows outside its declared domain leak" in said
    assert type(result).from_json(result.to_json()).pair.neighbour.digest == result.pair.neighbour.digest


def test_a_learner_may_declare_the_promise_by_its_domain() -> None:
    data = Dataset([[0.0, 0.5], [1.0, 0.5]], domain=ClippingBox(0.0, 1.0))
    names = [move.name for move in pool_moves(Setting(learner(Sums()), data, ("replace",), np.random.default_rng(0)))]
    assert any(name.startswith("a width above the upper bound") for name in names)
    assert not any(name.startswith("NaN") for name in names)  # promised are finite numbers


def test_bounds_vary_from_column_to_column() -> None:
    def total(data: Dataset, rng: Any) -> Any:
        return data.X.sum() + rng.laplace()

    class Anywhere:
        claim = Claim(1.0)
        fit = summary = staticmethod(total)

        def domain(self, data: Dataset) -> Box:
            return Box.enclosing(data.X)

    widths = [domain.high - domain.low for domain in domains(Anywhere(), Worst(vary=True), 3, None)]  # type: ignore[attr-defined]
    assert any(len(set(width.tolist())) > 1 for width in widths)
