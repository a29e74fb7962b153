"""Whatever changes rows of data with units changes whole units, and as many as it was asked for."""

from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from numpy.random import Generator, default_rng

from mlaudit.adapters.function import FunctionMechanism
from mlaudit.attacks._changes import with_change
from mlaudit.attacks._whole_units import extend_to_units
from mlaudit.auditing.candidates import make_candidates
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.naming.plugins import load_shipped, shipped
from mlaudit.protocols import Mechanism
from mlaudit.scanning.neighbours import neighbours
from mlaudit.search.crafting import craft_moves, reshape_move
from mlaudit.search.move import Setting, changes_under, make_pair
from mlaudit.search.pool import pool_moves
from mlaudit.search.worst import Worst
from mlaudit.testing.attack import PlainLearner, random_data
from mlaudit.tracing.pairs import gather_pairs
from mlaudit.types.changes import CHANGES, RELATION_OF
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair
from mlaudit.witness.simplify import simplify_pair

ATTACKS = sorted(set(shipped("attacks")) - {"tight", "search", "coefficient"})


def with_units(data: Dataset, owners: list[int]) -> Dataset:
    return Dataset(data.X, data.y, data.domain, units=owners, unit="user")


def by_owner(data: Dataset) -> dict[Any, list[tuple[Any, ...]]]:
    labels = [None] * len(data) if data.y is None else data.y.tolist()
    found: dict[Any, list[tuple[Any, ...]]] = {}
    assert data.units is not None
    for x, label, owner in zip(data.X.tolist(), labels, data.units.tolist(), strict=True):
        found.setdefault(owner, []).append((tuple(x), label))
    return found


def count_whole(pair: Pair, relation: Relation) -> int:
    """How many whole units differ, by the definition of the relation and without the code of `Pair`."""
    base, other = by_owner(pair.base), by_owner(pair.neighbour)
    if relation is Relation.ADD_REMOVE:
        assert all(base[owner] == other[owner] for owner in base.keys() & other.keys())
        return len(base.keys() ^ other.keys())
    assert {owner: len(rows) for owner, rows in base.items()} == {owner: len(rows) for owner, rows in other.items()}
    changed = [owner for owner in base if base[owner] != other[owner]]
    for owner in changed:
        before, after = zip(*base[owner], strict=True), zip(*other[owner], strict=True)
        (features, labels), (new_features, new_labels) = tuple(before), tuple(after)
        if relation is Relation.LABEL_ONLY:
            assert features == new_features
        if relation is Relation.ZERO_OUT:
            assert labels == new_labels
            assert not np.any(features) or not np.any(new_features)
    return len(changed)


units_of_rows = st.lists(st.integers(0, 4), min_size=12, max_size=12)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(units_of_rows, st.integers(0, 9), st.sampled_from(ATTACKS), st.sampled_from(CHANGES), st.integers(1, 3))
def test_every_attack_changes_as_many_whole_units_as_it_was_asked_for(
    owners: list[int], seed: int, name: str, change: str, many: int
) -> None:
    learner = PlainLearner()
    plain = random_data(default_rng(seed))
    data = with_units(plain, [*owners, *([5] * len(plain))][: len(plain)])
    data = data.within(learner.domain(data))
    attack = with_change(load_shipped("attacks", name)(), change)
    try:
        pair = attack(learner, data, many, default_rng(seed))
    except InvalidInput:
        reject()
    relation = RELATION_OF[change]
    assert pair.rows == pair.steps(relation) == count_whole(pair, relation) == many
    # Nothing is left to extend: the change is one of whole units already.
    assert extend_to_units(pair, data).neighbour.digest == pair.neighbour.digest


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(units_of_rows, st.sampled_from(list(Relation)), st.integers(0, 9))
def test_every_move_of_a_search_changes_whole_units(owners: list[int], relation: Relation, seed: int) -> None:
    rng = default_rng(seed)
    X = rng.integers(0, 3, size=(12, 2)) / 2.0
    data = Dataset(X, np.arange(12) % 2, Box([0.0] * 2, [1.0] * 2, (0, 1)), units=owners)
    setting = Setting(PlainLearner(), data, changes_under(relation), rng)
    made = 0
    for move in islice(pool_moves(setting), 40):
        for many in (1, 2):
            pair = make_pair(move, many, relation)
            if pair is not None:
                made += 1
                steps, replaced = pair.steps(relation), pair.relation is Relation.REPLACE_ONE
                two = relation is Relation.ADD_REMOVE and replaced
                assert steps == (2 * many if two else many)
                assert count_whole(pair, Relation.REPLACE_ONE if two else relation) == many
    assert made or len(set(owners)) < 2


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", [Laplace(), NaiveBayes()])
@pytest.mark.parametrize("relation", list(Relation))
def test_crafted_units_have_as_many_rows_as_asked_for(mechanism: Mechanism, relation: Relation) -> None:
    worst = Worst(unit_rows=3, unit="user", rows=60)
    moves = list(islice(craft_moves(mechanism, worst, changes_under(relation), default_rng(0)), 60))
    again = [other for move in moves[:3] for other in islice(reshape_move(move), 2)]
    pairs = [pair for move in (*moves, *again) if (pair := make_pair(move, 1, relation)) is not None]
    assert len(pairs) >= 20
    for pair in pairs:
        assert pair.base.unit == "user"
        assert {len(rows) for rows in by_owner(pair.base).values()} == {3}
        assert len(pair.base) <= 60
        two = relation is Relation.ADD_REMOVE and pair.relation is Relation.REPLACE_ONE
        assert count_whole(pair, Relation.REPLACE_ONE if two else relation) == 1


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(units_of_rows, st.sampled_from(list(Relation)), st.integers(0, 9))
def test_neighbours_of_a_scan_are_one_unit_apart(owners: list[int], relation: Relation, seed: int) -> None:
    rng = default_rng(seed)
    X = rng.integers(0, 3, size=(12, 2)) / 2.0
    data = Dataset(X, rng.integers(0, 2, 12), Box([0.0] * 2, [1.0] * 2, (0, 1)), units=owners)
    in_place = relation in (Relation.LABEL_ONLY, Relation.ZERO_OUT)
    for one in neighbours(data, relation):
        under = relation if in_place else one.pair.relation
        assert one.pair.steps(under) == count_whole(one.pair, under) == 1, one.change


@pytest.mark.slow
def test_pairs_of_a_trace_are_one_unit_apart() -> None:
    data = Dataset(np.arange(8.0) / 8, domain=Box(0.0, 1.0), units=[1, 1, 2, 2, 2, 3, 3, 1])
    for relation in (Relation.REPLACE_ONE, Relation.ADD_REMOVE, Relation.ZERO_OUT):
        made = gather_pairs(PlainLearner(), data, Worst(unit_rows=2), Claim(1.0, relation=relation), 40, 0)
        assert len(made) == 40
        assert {count_whole(one.pair, relation) for one in made} == {1}


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(units_of_rows, st.sampled_from(["replace", "remove", "add"]))
def test_simpler_pairs_keep_the_owners_of_rows(owners: list[int], change: str) -> None:
    data = Dataset(np.arange(12.0) / 8, np.arange(12) % 2, units=owners, unit="user")
    attack = with_change(load_shipped("attacks", "far_corner")(), change)
    try:
        pair = attack(PlainLearner(), data, 1, default_rng(0))
    except InvalidInput:
        reject()
    known = {*by_owner(pair.base), *by_owner(pair.neighbour)}
    simpler = list(simplify_pair(pair))
    assert simpler
    for other in simpler:
        assert other.base.unit == "user"
        assert {*by_owner(other.base), *by_owner(other.neighbour)} <= known
        assert other.rows <= 2  # a unit of which only some rows are removed is removed and added


def test_an_attack_of_the_users_own_is_extended_to_whole_units() -> None:
    data = Dataset([0.0, 1.0, 2.0, 3.0], units=[1, 2, 1, 3], domain=Box(0.0, 9.0))
    learner = FunctionMechanism(lambda data, rng: 0.0, Claim(1.0))

    def one_row(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
        X = data.X.copy()
        X[:rows] = 9.0
        return Pair(data, data.with_rows(X))

    def removes(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
        return Pair(data, data.with_rows(data.X[1:], units=np.asarray(data.units)[1:]))

    def careless(mechanism: object, data: Dataset, rows: int, rng: Generator) -> Pair:
        return Pair(data, Dataset(data.X + 1.0))

    found = make_candidates(learner, data, None, one_row, (1, 2), 0)
    assert found[0].pair.neighbour.X.ravel().tolist() == [9.0, 1.0, 9.0, 3.0]
    assert found[1].pair.neighbour.X.ravel().tolist() == [9.0, 9.0, 9.0, 3.0]
    less = make_candidates(learner, data, None, removes, (1,), 0)[0].pair.neighbour
    assert np.asarray(less.units).tolist() == [2, 3]
    with pytest.raises(InvalidInput, match="one_row was asked to change 3 units, got 2 changed"):
        make_candidates(learner, data, None, one_row, (3,), 0)
    with pytest.raises(InvalidInput, match="either both datasets of a pair have units or neither"):
        make_candidates(learner, data, None, careless, (1,), 0)


@pytest.mark.slow
def test_one_unit_for_each_row_is_as_without_units() -> None:
    plain = random_data(default_rng(0))
    owned = with_units(plain, list(range(len(plain))))
    for name in ATTACKS:
        for change in ("replace", "add", "remove"):
            attack = with_change(load_shipped("attacks", name)(), change)
            made: list[tuple[Any, ...]] = []
            for data in (plain, owned):
                try:
                    pair = attack(PlainLearner(), data, 2, default_rng(0))
                    made.append((pair.neighbour.X.tolist(), np.asarray(pair.neighbour.y).tolist(), pair.rows))
                except InvalidInput as error:
                    made.append((str(error),))
            assert made[0] == made[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"unit_rows": 0}, "unit_rows must be a whole number"),
        ({"unit_rows": 6, "rows": 10}, "unit_rows must be at most half of the 10 rows of crafted data, got 6"),
        ({"unit": "user"}, "unit 'user' needs unit_rows, the rows of each unit, got none"),
    ],
)
def test_bad_crafted_units_are_one_sentence(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Worst(**given)
