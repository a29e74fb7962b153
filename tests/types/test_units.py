"""Units: what a dataset keeps of them, how edits treat them, and steps against an exhaustive search."""

import pickle
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlaudit.errors import InvalidInput
from mlaudit.naming.codec import decode, encode
from mlaudit.naming.describe import describe
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.differences import changed_text, differences
from mlaudit.types.edits import add_rows, find_unequal, relabel_rows, remove_rows, replace_rows
from mlaudit.types.pair import Pair
from mlaudit.types.unit_claim import state_unit
from mlaudit.types.units import count_rows_of, name_new, read_units

Record = tuple[int, int]  # a feature and a label
RECORDS = tuple(product((0, 1), (0, 1)))
Unit = tuple[Record, ...] | None  # the rows of a unit; None is the unit that is absent
Owned = tuple[tuple[int, Record], ...]  # rows with their owners


def as_data(rows: Owned) -> Dataset:
    return Dataset([float(x) for _, (x, _) in rows], [y for _, (_, y) in rows], units=[owner for owner, _ in rows])


def replaced(unit: Unit) -> Iterator[Unit]:
    assert unit is not None
    yield from product(RECORDS, repeat=len(unit))


def relabelled(unit: Unit) -> Iterator[Unit]:
    assert unit is not None
    for labels in product((0, 1), repeat=len(unit)):
        yield tuple((x, label) for (x, _), label in zip(unit, labels, strict=True))


def zeroed(unit: Unit, rows: int) -> Iterator[Unit]:
    """Absent and back; zeros in all rows stand for the absent unit, with the labels that its rows have."""
    if unit is None:
        yield from product(RECORDS, repeat=rows)
        return
    yield None
    null = all(x == 0 for x, _ in unit)
    for features in product((0, 1), repeat=rows) if null else ((0,) * rows,):
        yield tuple((x, label) for x, (_, label) in zip(features, unit, strict=True))


def count_steps(a: Sequence[Unit], b: Sequence[Unit], relation: Relation) -> int:
    """The fewest changes of one unit that lead from a to b: a breadth-first search."""
    sizes = [len(unit or ()) for unit in a]

    def changes(unit: Unit, rows: int) -> Iterator[Unit]:
        if relation is Relation.ZERO_OUT:
            return zeroed(unit, rows)
        return relabelled(unit) if relation is Relation.LABEL_ONLY else replaced(unit)

    goal, reached, edge, steps = tuple(b), {tuple(a)}, {tuple(a)}, 0
    while goal not in reached:
        steps += 1
        edge = {
            (*state[:i], to, *state[i + 1 :])
            for state in edge
            for i in range(len(state))
            for to in changes(state[i], sizes[i])
        } - reached
        assert edge, "there is no way"
        reached |= edge
    return steps


owners = st.lists(st.integers(0, 2), min_size=1, max_size=4)
sides = owners.flatmap(
    lambda who: st.tuples(st.just(who), *[st.tuples(*[st.sampled_from(RECORDS)] * len(who)) for _ in range(2)])
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(sides)
def test_steps_in_place_are_the_distance(drawn: tuple[list[int], tuple[Record, ...], tuple[Record, ...]]) -> None:
    who, one, other = drawn
    if one == other:
        return
    pair = Pair(as_data(tuple(zip(who, one, strict=True))), as_data(tuple(zip(who, other, strict=True))))
    a, b = (
        [tuple(row for owner, row in zip(who, rows, strict=True) if owner == unit) for unit in sorted(set(who))]
        for rows in (one, other)
    )
    assert pair.relation is Relation.REPLACE_ONE
    assert pair.rows == pair.steps(Relation.REPLACE_ONE) == count_steps(a, b, Relation.REPLACE_ONE)
    assert pair.steps(Relation.ZERO_OUT) == count_steps(a, b, Relation.ZERO_OUT)
    assert pair.steps(Relation.ADD_REMOVE) == 2 * pair.rows
    if [x for x, _ in one] == [x for x, _ in other]:
        assert pair.steps(Relation.LABEL_ONLY) == count_steps(a, b, Relation.LABEL_ONLY)
    else:
        with pytest.raises(InvalidInput, match="under label-only both datasets need the same features"):
            pair.steps(Relation.LABEL_ONLY)


def keep(rows: Owned, units: tuple[int, ...]) -> Owned:
    return tuple(row for row in rows if row[0] in units)


def count_edits(a: Owned, b: Owned) -> tuple[int, int]:
    """The fewest units to remove from a and to add, over every set of units to keep; and how many are kept."""
    both = sorted({owner for owner, _ in a} & {owner for owner, _ in b})
    sets = chain.from_iterable(combinations(both, size) for size in range(len(both), -1, -1))
    kept = next(units for units in sets if keep(a, units) == keep(b, units))
    return len({owner for owner, _ in a}) + len({owner for owner, _ in b}) - 2 * len(kept), len(kept)


rows_of_some = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(RECORDS[:2])), min_size=1, max_size=6).map(tuple)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(rows_of_some, rows_of_some)
def test_steps_of_added_and_removed_units_are_the_distance(a: Owned, b: Owned) -> None:
    if a == b:
        return
    both = sorted({owner for owner, _ in a} & {owner for owner, _ in b})
    equal = tuple(unit for unit in both if keep(a, (unit,)) == keep(b, (unit,)))
    fewest, kept = count_edits(a, b)
    if keep(a, equal) != keep(b, equal):
        assert kept < len(equal)
        with pytest.raises(InvalidInput, match="must come in the same order, got another order in D′"):
            Pair(as_data(a), as_data(b)).steps(Relation.ADD_REMOVE)
        return
    assert Pair(as_data(a), as_data(b)).steps(Relation.ADD_REMOVE) == fewest


owned = st.lists(
    st.tuples(st.sampled_from(["ann", "bob", "eve"]), st.sampled_from([0.0, 1.0]), st.integers(0, 1)),
    min_size=2,
    max_size=8,
).map(lambda rows: Dataset([x for _, x, _ in rows], [y for *_, y in rows], units=[who for who, *_ in rows]))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(owned, st.data())
def test_edits_change_whole_units(data: Dataset, choose: st.DataObject) -> None:
    units = np.asarray(data.units)
    at = choose.draw(st.integers(0, len(data) - 1))
    mine = units == units[at]
    new = replace_rows(data, at, [7.0], 5)
    assert (new.X[mine] == 7.0).all()
    assert (np.asarray(new.y)[mine] == 5).all()
    assert np.array_equal(new.X[~mine], data.X[~mine])
    assert Pair(data, new).rows == 1
    more = add_rows(data, at, [7.0], 5)
    assert len(more) == len(data) + count_rows_of(units).max()
    assert Pair(data, more).steps(Relation.ADD_REMOVE) == 1
    assert np.asarray(relabel_rows(data, at, 5).y)[mine].tolist() == [5] * int(mine.sum())
    if not mine.all():
        less = remove_rows(data, at)
        assert len(less) == int((~mine).sum())
        assert Pair(data, less).steps(Relation.ADD_REMOVE) == 1
    found = find_unequal(data, np.arange(len(data)), [0.0], 0)
    unequal = (data.X[:, 0] != 0.0) | (np.asarray(data.y) != 0)
    assert sorted(units[found].tolist()) == sorted(set(units[unequal].tolist()))


def test_a_row_that_is_named_keeps_its_own_new_row_and_others_copy_the_first() -> None:
    data = Dataset(np.arange(5.0), units=[1, 1, 2, 1, 3])
    assert replace_rows(data, [3, 1, 4], [[30.0], [10.0], [40.0]]).X.ravel().tolist() == [30.0, 10.0, 2.0, 30.0, 40.0]


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ([1], r"units must hold one owner per row, got \(1,\) owners for 2 rows"),
        ([0.0, 1.0], "units must be whole numbers or text, got float64; number the owners of the rows"),
        ([True, False], "units must be whole numbers or text, got bool"),
        ([None, 3], "units must be whole numbers or text, got object"),
        ([2**62 + 1, 1], "units must be whole numbers up to .*, got a larger one; give text instead"),
        ([[1], [2]], "units must hold one owner per row"),
    ],
)
def test_bad_units_are_one_sentence(units: object, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        Dataset([0.0, 1.0], units=units)  # type: ignore[arg-type]


def test_a_pair_needs_units_of_one_kind_on_both_sides() -> None:
    data = Dataset([0.0, 1.0], units=[1, 2])
    with pytest.raises(InvalidInput, match="either both datasets of a pair have units or neither"):
        Pair(data, Dataset([0.0, 2.0]))
    with pytest.raises(InvalidInput, match="both datasets of a pair need units of one type, got int64 and <U1"):
        Pair(data, Dataset([0.0, 2.0], units=["1", "2"]))
    other = Pair(data, Dataset([0.0, 1.0], units=[1, 3]))
    assert (other.relation, other.rows) == (Relation.ADD_REMOVE, 2)
    with pytest.raises(InvalidInput, match="under replace-one every row needs the same owner in both datasets"):
        other.steps(Relation.REPLACE_ONE)


def test_units_are_frozen_and_part_of_the_digest_only_if_given() -> None:
    plain = Dataset([0.0, 1.0], [0, 1])
    data = Dataset([0.0, 1.0], [0, 1], units=["a", "a"], unit="user")
    # As before there were units: data without units keep their seeds and their stored trainings.
    assert plain.digest.startswith("2e7aebb9eedd")
    assert data.digest != plain.digest != Dataset([0.0, 1.0], [0, 1], units=["a", "b"]).digest
    assert data.digest == Dataset([0.0, 1.0], [0, 1], units=np.array(["a", "a"], dtype="<U9")).digest
    copied = pickle.loads(pickle.dumps(data))
    for one in (data, copied, data.within(None)):
        assert one.unit == "user"
        with pytest.raises(ValueError, match="read-only"):
            np.asarray(one.units)[0] = "b"


def test_files_and_descriptions_of_data_without_units_do_not_change() -> None:
    plain, data = Dataset([0.0, 1.0]), Dataset([0.0, 1.0], units=[1, 1], unit="user")
    assert set(encode(plain)) == {"$type", "X", "y", "domain", "name"}
    assert set(encode(Claim(1.0))) == {"$type", "epsilon", "delta", "relation", "gaussian"}
    assert "unit" not in describe(Claim(1.0))
    assert "unit" not in repr(Claim(1.0))
    again = decode(encode(data))
    assert again.digest == data.digest
    assert again.unit == "user"
    assert decode(encode(Claim(1.0, unit="user"))) == Claim(1.0, unit="user")


def test_with_rows_keeps_units_and_refuses_another_number_of_rows() -> None:
    data = Dataset([0.0, 1.0], units=[1, 2])
    assert data.with_rows([5.0, 6.0]).units.tolist() == [1, 2]  # type: ignore[union-attr]
    with pytest.raises(InvalidInput, match="units must hold one owner per row"):
        data.with_rows([5.0])


def test_new_owners_have_names_that_nobody_has() -> None:
    assert name_new(read_units(["new 2", "x"], 2), 2).tolist() == ["new 1", "new 3"]
    text = Dataset([0.0, 1.0], units=["a", "b"])
    assert add_rows(text, 2, [5.0]).units.tolist() == ["a", "b", "new 1"]  # type: ignore[union-attr]


def test_texts_name_the_unit() -> None:
    data = Dataset([0.0, 1.0, 2.0], units=["ann", "bob", "ann"], unit="user")
    pair = Pair(data, replace_rows(data, 0, [9.0]))
    assert changed_text(pair) == "1 unit (2 rows)"
    assert differences(pair)[0] == "row 0 of user ann: [0], became [9]"
    assert repr(data) == "Dataset(3 rows × 1 columns, no labels, 'data', user: 2 units, 1 to 2 rows each)"


def test_a_claim_takes_the_unit_of_the_data() -> None:
    data = Dataset([0.0, 1.0], units=[1, 1], unit="user")
    assert state_unit(Claim(1.0), data) == Claim(1.0, unit="user")
    assert state_unit(Claim(1.0, unit="person"), data).unit == "person"
    assert state_unit(Claim(1.0), None) == state_unit(Claim(1.0), Dataset([0.0])) == Claim(1.0)
