"""One body for every family of moves and every layout: a new one needs no new test."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.plugins import load, names
from mlaudit.protocols import Mechanism
from mlaudit.search.crafting import LAYOUTS, craft_moves, reshape_move
from mlaudit.search.move import Move, Setting, changes_under, make_pair
from mlaudit.search.pool import FAMILIES, pool_moves
from mlaudit.search.region import labels_of
from mlaudit.search.worst import Worst
from mlaudit.testing.attack import PlainLearner
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball
from mlaudit.types.pair import Pair

LABELS = ("none", "two", "many", "text", "numbers")
DOMAINS = ("none", "box", "ball")


def some_data(seed: int, labels: str, domain: str) -> Dataset:
    rng = default_rng(seed)
    n, d = int(rng.integers(9, 30)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, d))
    y: dict[str, Any] = {
        "none": None,
        "two": np.arange(n) % 2,
        "many": np.arange(n) % 4,
        "text": np.array(["no", "yes"])[np.arange(n) % 2],
        "numbers": rng.normal(size=n),
    }
    found = {"none": None, "box": Box.enclosing(X * 1.5 - 0.1), "ball": L2Ball.enclosing(X * 1.5)}[domain]
    if isinstance(found, Box):
        found = Box(np.minimum(found.low, X.min(axis=0)), np.maximum(found.high, X.max(axis=0)))
    return Dataset(X, y[labels], found)


def check_legal(pair: Pair, data: Dataset, rows: int, relation: Relation) -> None:
    assert pair.base.digest == data.digest
    assert pair.rows == rows
    assert pair.neighbour.domain is data.domain
    assert pair.steps(relation) == (2 * rows if _replaced(pair) and relation is Relation.ADD_REMOVE else rows)
    if data.domain is not None:
        assert data.domain.contains(pair.neighbour.X).all()
    if data.y is not None and pair.neighbour.y is not None:
        assert set(pair.neighbour.y.tolist()) <= {*labels_of(data), *data.y.tolist()}


def _replaced(pair: Pair) -> bool:
    return len(pair.base) == len(pair.neighbour)


@pytest.mark.parametrize("family", names(FAMILIES))
@given(seed=st.integers(0, 2**32 - 1), labels=st.sampled_from(LABELS), domain=st.sampled_from(DOMAINS))
@settings(max_examples=12, deadline=None)
def test_every_move_is_legal_and_changes_as_many_rows_as_it_says(
    family: str, seed: int, labels: str, domain: str
) -> None:
    data = some_data(seed, labels, domain)
    for relation in Relation:
        setting = Setting(PlainLearner(), data, changes_under(relation), default_rng(seed))
        for move in islice(_cheap(load(FAMILIES, family)(setting)), 8):
            for rows in (1, 2):
                pair = make_pair(move, rows, relation)
                if pair is not None and pair.base.digest == data.digest:
                    check_legal(pair, data, rows, relation)


def _cheap(moves: Any) -> Any:
    """Without what climbs on a surrogate: those attacks have tests of their own."""
    return (move for move in moves if not move.name.startswith(("coefficient", "influence")))


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=3, deadline=None)
def test_a_pool_is_the_same_for_the_same_seed_and_has_every_family_early(seed: int) -> None:
    data = some_data(seed, "two", "box")

    def first() -> list[Move]:
        return list(islice(pool_moves(Setting(PlainLearner(), data, ("replace",), default_rng(seed))), 30))

    one, other = first(), first()
    assert [move.name for move in one] == [move.name for move in other]
    for a, b in zip(_cheap(one), _cheap(other), strict=True):
        pairs = [make_pair(move, 1, Relation.REPLACE_ONE) for move in (a, b)]
        assert len({None if pair is None else pair.neighbour.digest for pair in pairs}) == 1
    said = " ".join(move.name for move in one[:8])
    for family in ("corner", "copy", "label", "far as can be", "random"):
        assert family in said


def test_a_move_that_refuses_or_goes_too_far_makes_nothing() -> None:
    data = Dataset([0.0, 1.0])
    too_many = Move("", lambda rows: Pair(data, Dataset([5.0, 6.0])))
    assert make_pair(too_many, 1, Relation.REPLACE_ONE) is None
    longer = Move("", lambda rows: Pair(data, Dataset([0.0, 1.0, 2.0])))
    assert make_pair(longer, 1, Relation.REPLACE_ONE) is None
    assert make_pair(longer, 1, Relation.ADD_REMOVE) is not None


CRAFTED: dict[str, Mechanism] = {
    "unlabelled box": Laplace(),
    "labelled box": NaiveBayes(),
    "labelled ball": LogisticOutput(),
}


@pytest.mark.parametrize("name", CRAFTED)
@pytest.mark.parametrize("relation", Relation)
def test_crafted_pairs_lie_in_the_domain_and_are_as_far_apart_as_they_say(name: str, relation: Relation) -> None:
    mechanism = CRAFTED[name]
    moves = craft_moves(mechanism, Worst(), changes_under(relation), default_rng(0))
    shapes = set()
    for move in islice(_cheap(moves), 150):
        pair = make_pair(move, 1, relation)
        if pair is not None:
            domain = pair.base.domain
            assert domain is not None
            assert domain.contains(np.vstack([pair.base.X, pair.neighbour.X])).all()
            assert 1 <= pair.steps(relation) <= 2
            shapes.add(pair.base.X.shape)
    assert len(shapes) >= 5


def test_a_move_can_be_made_on_another_shape() -> None:
    move = next(iter(craft_moves(Laplace(), Worst(), ("replace",), default_rng(0))))
    pairs = [make_pair(other, 1, Relation.REPLACE_ONE) for other in islice(reshape_move(move), 6)]
    shapes = {pair.base.X.shape for pair in pairs if pair is not None}
    assert len({n for n, _ in shapes}) > 2
    assert len({d for _, d in shapes}) > 2


def test_crafted_data_are_no_larger_than_asked_for() -> None:
    moves = list(islice(_cheap(craft_moves(Laplace(), Worst(rows=8, columns=2), ("replace",), default_rng(0))), 12))
    pairs = [make_pair(move, 1, Relation.REPLACE_ONE) for move in [*moves, *reshape_move(moves[0])]]
    shapes = {pair.base.X.shape for pair in pairs if pair is not None}
    assert {n for n, _ in shapes} <= set(range(9))
    assert {d for _, d in shapes} == {1, 2}


def test_there_is_every_layout_that_the_worst_data_need() -> None:
    assert {"all_at_one_corner", "one_apart", "lone_class"} <= set(names(LAYOUTS))
