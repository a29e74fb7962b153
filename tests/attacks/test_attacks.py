"""One body for every attack that is shipped: a new one needs no new test."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from mlaudit.attacks.corner_flip import CornerFlip
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.search import Search
from mlaudit.attacks.swap_x import SwapX
from mlaudit.attacks.tight import HasTightPair, Tight
from mlaudit.auditing.candidates import default_attacks
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load, shipped
from mlaudit.testing.attack import PlainLearner, check_attack
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball
from mlaudit.types.pair import Pair

ATTACKS = sorted(set(shipped("attacks")) - {"tight"})
CLIMB = {"coefficient", "influence", "search"}  # which takes them seconds
WITH_TIGHT_PAIR = [name for name in shipped("mechanisms") if hasattr(load("mechanisms", name), "tight_pair")]
RNG = default_rng(0)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in CLIMB else name for name in ATTACKS]
)
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=2, deadline=None)
def test_every_attack_keeps_its_contract(name: str, seed: int) -> None:
    checks = check_attack(load("attacks", name)(), seed=seed)
    assert [str(check) for check in checks if not check.passed] == []


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.slow
def test_an_attack_changes_as_many_rows_as_asked_for_or_refuses(name: str) -> None:
    data = Dataset(default_rng(1).random((6, 2)), [0, 1, 0, 1, 0, 1], Box([0, 0], [1, 1]))
    for rows in range(1, 12):
        try:
            pair = load("attacks", name)()(PlainLearner(), data, rows, default_rng(2))
        except InvalidInput:
            continue
        assert pair.rows == rows


def cheating(change: Any) -> Any:
    """An attack that breaks the contract in one way."""

    def attack(mechanism: object, data: Dataset, rows: int, rng: np.random.Generator) -> Pair:
        X = data.X.copy()
        X[:rows] = X[rows : 2 * rows]
        return change(data, X, rng)  # type: ignore[no-any-return]

    return attack


CHEATS = {
    "it changes exactly the rows it was asked for": lambda data, X, rng: Pair(
        data, data.with_rows(np.roll(X, 1, axis=0), data.y)
    ),
    "D is one side of the pair, untouched": lambda data, X, rng: Pair(
        data.with_rows(data.X * 0.5, data.y), data.with_rows(X * 0.5, data.y)
    ),
    "D′ lies in the domain, with legal labels": lambda data, X, rng: Pair(
        Dataset(data.X, data.y), Dataset(X * 10, data.y)
    ),
    "the same seed makes the same pair": lambda data, X, rng: Pair(
        data, data.with_rows(np.where(X == data.X, X, data.X[RNG.integers(len(X))]), data.y)
    ),
}


@pytest.mark.parametrize("claim", CHEATS)
def test_the_contract_check_notices_a_breach(claim: str) -> None:
    # Fails for a correct program with probability < 1e-7: one of 20 rows or more at random, twice the same six times.
    failed = {check.claim for check in check_attack(cheating(CHEATS[claim])) if not check.passed}
    assert claim in failed


@pytest.mark.parametrize("name", WITH_TIGHT_PAIR)
@given(rows=st.integers(1, 12))
@settings(max_examples=12, deadline=None)
def test_tight_is_as_many_steps_apart_as_rows_were_asked_for(name: str, rows: int) -> None:
    mechanism = load("mechanisms", name)()
    pair = Tight()(mechanism, None, rows, RNG)
    assert pair.rows == pair.steps(mechanism.claim.relation) == rows
    assert mechanism.domain(pair.base).contains(np.vstack([pair.base.X, pair.neighbour.X])).all()


@pytest.mark.parametrize("relation", [Relation.REPLACE_ONE, Relation.ADD_REMOVE, Relation.ZERO_OUT])
def test_laplace_knows_its_tight_pair_under_every_relation_of_rows(relation: Relation) -> None:
    mechanism = load("mechanisms", "laplace")(1.0, relation)
    assert Tight()(mechanism, None, 3, RNG).steps(relation) == 3


def test_there_are_mechanisms_with_a_tight_pair() -> None:
    assert {"laplace", "gaussian", "geometric", "noisy_max", "randomised_response"} <= set(WITH_TIGHT_PAIR)
    assert isinstance(load("mechanisms", "laplace")(), HasTightPair)


def test_tight_needs_a_mechanism_that_names_its_worst_pair() -> None:
    with pytest.raises(InvalidInput, match="has no worst pair of its own: it needs data or a pair, got neither"):
        Tight()(PlainLearner(), None, 1, RNG)


@pytest.mark.parametrize(("domain", "corner"), [(Box([0, 0], [2, 4]), [2, 4]), (L2Ball(5.0), [3, 4])], ids=str)
def test_far_corner_moves_the_lowest_rows_to_the_edge_of_the_domain(domain: Any, corner: list[float]) -> None:
    data = Dataset([[1.5, 2.0], [0.1, 0.1], [0.2, 0.1]], [0, 1, 0], domain)
    pair = FarCorner()(PlainLearner(), data, 2, RNG)
    # A computed corner of a ball is rounded, and stays inside the ball by 1e-5 of its radius.
    np.testing.assert_allclose(pair.neighbour.X, [[1.5, 2.0], corner, corner], rtol=2e-5)
    assert pair.target is not None
    np.testing.assert_allclose(pair.target, corner, rtol=2e-5)
    np.testing.assert_array_equal(np.asarray(pair.neighbour.y), [0, 1, 0])


def test_swap_x_gives_rows_of_one_class_the_x_of_another() -> None:
    data = Dataset([0.0, 0.1, 0.2, 5.0, 5.1, 5.2], [0, 0, 0, 1, 1, 1])
    for seed in range(10):
        pair = SwapX()(PlainLearner(), data, 2, default_rng(seed))
        moved = np.flatnonzero((pair.base.X != pair.neighbour.X).any(axis=1))
        assert len(set(np.asarray(data.y)[moved])) == 1
        assert (np.abs(pair.neighbour.X[moved] - data.X[moved]) > 1).all()


def test_swap_x_needs_two_classes() -> None:
    for labels in (None, [0, 0]):
        with pytest.raises(InvalidInput, match="labels of at least two classes"):
            SwapX()(PlainLearner(), Dataset([0.0, 1.0], labels), 1, RNG)


def test_a_learner_without_attacks_of_its_own_is_searched() -> None:
    learner, X = PlainLearner(), np.arange(8.0)
    assert default_attacks(learner, None) == (Tight(),)
    assert default_attacks(load("mechanisms", "naive_bayes")(), Dataset(X, np.arange(8) % 2))[0] == CornerFlip()
    for labels in (None, np.arange(8) % 2, np.arange(8) % 3, X):
        assert default_attacks(learner, Dataset(X, labels)) == (Search(),)
