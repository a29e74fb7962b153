"""One body for every family of moves and every layout: a new one needs no new test."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import SeedSequence, default_rng

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
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.columns import Columns
from mlaudit.types.coverage import find_uncovered
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, L2Ball
from mlaudit.types.matching import differ_in_bytes, find_changes
from mlaudit.types.number_columns import Boolean, Integer, Number
from mlaudit.types.pair import Pair
from mlaudit.types.text_columns import Category, Text

LABELS = ("none", "two", "many", "text", "numbers")
DOMAINS = ("none", "box", "ball", "typed")


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
    if domain == "typed":
        columns = some_columns(d)
        X[rng.random(X.shape) < 0.2] = np.nan
        return Dataset(columns.project(4 * X), y[labels], columns)
    found = {"none": None, "box": Box.enclosing(X * 1.5 - 0.1), "ball": L2Ball.enclosing(X * 1.5)}[domain]
    if isinstance(found, Box):
        found = Box(np.minimum(found.low, X.min(axis=0)), np.maximum(found.high, X.max(axis=0)))
    return Dataset(X, y[labels], found)


def some_columns(d: int) -> Columns:
    kinds = (
        Text("city", ("Rome", "Oslo"), missing=True),
        Number("income", -3.0, 5.5, missing=True),
        Integer("age", -2, 7),
        Category("plan", ("basic", 2, "pro"), missing=True),
        Boolean("smokes"),
    )
    return Columns(kinds[:d])


class Counts:
    """Declares typed columns, whatever the data."""

    claim = Claim(1.0)

    def domain(self, data: Dataset) -> Columns:
        return some_columns(5)

    def fit(self, data: Dataset, seed: SeedSequence) -> int:
        return len(set(data.columns["city"].tolist()))

    def summary(self, model: int, target: FloatArray | None) -> FloatArray:
        return np.array([float(model)])


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


@pytest.mark.slow
@pytest.mark.parametrize("family", names(FAMILIES))
@given(seed=st.integers(0, 2**32 - 1), labels=st.sampled_from(LABELS), domain=st.sampled_from(DOMAINS))
@settings(max_examples=12, deadline=None)
def test_every_move_is_legal_and_changes_as_many_rows_as_it_says(
    family: str, seed: int, labels: str, domain: str
) -> None:
    data = some_data(seed, labels, domain)
    for relation in (one for one in Relation if domain != "typed" or not find_uncovered(one, data)):
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
    "typed": Counts(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CRAFTED)
@pytest.mark.parametrize("relation", Relation)
def test_crafted_pairs_lie_in_the_domain_and_are_as_far_apart_as_they_say(name: str, relation: Relation) -> None:
    mechanism = CRAFTED[name]
    if name == "typed" and relation in (Relation.LABEL_ONLY, Relation.ZERO_OUT):
        pytest.skip("without labels, and without a row of zeros that means zeros")
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


@pytest.mark.parametrize("typed", [some_columns(5), Columns([Text("city", ("Rome",), missing=True), Boolean("b")])])
def test_a_search_on_a_typed_table_tries_what_careless_learners_forget(typed: Columns) -> None:
    """Texts that nobody has, missing values, and every other category, one column at a time."""
    data = Dataset(typed.project(np.zeros((9, len(typed.columns)))), domain=typed)
    setting = Setting(PlainLearner(), data, ("replace",), default_rng(0))
    pairs = [make_pair(move, 1, Relation.REPLACE_ONE) for move in pool_moves(setting)]
    changed = [pair.neighbour.X[find_changes(pair.base, pair.neighbour)[0].neighbour] for pair in pairs if pair]
    alone = [x for x in changed if differ_in_bytes(x[:, None], data.X[0][:, None]).sum() == 1]
    for at, column in enumerate(typed.columns):
        tried = {repr(column.decode(x[at : at + 1])[0]) for x in alone}
        if isinstance(column, Text | Category | Boolean):
            codes = np.arange(column.ends[0], column.ends[1] + 1)
            assert tried >= {repr(value) for value in column.decode(codes)}
        if column.missing:
            assert tried & {"None", "np.float64(nan)", "nan"}
