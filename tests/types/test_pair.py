from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.pair import Pair

ADD_REMOVE, REPLACE_ONE = Relation.ADD_REMOVE, Relation.REPLACE_ONE

small_rows = st.lists(st.integers(0, 2), min_size=1, max_size=8)


def edits_by_definition(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    """Fewest rows added or removed, tried one at a time."""

    @cache
    def edits(i: int, j: int) -> int:
        if i == len(a) or j == len(b):
            return len(a) - i + len(b) - j
        added_or_removed = 1 + min(edits(i + 1, j), edits(i, j + 1))
        return min(added_or_removed, edits(i + 1, j + 1)) if a[i] == b[j] else added_or_removed

    return edits(0, 0)


@st.composite
def distinct_rows_and_places(draw: st.DrawFn) -> tuple[list[float], list[int]]:
    """Rows that all differ, and some of their places."""
    rows = draw(st.lists(st.floats(-100, 100), min_size=1, max_size=40, unique=True))
    places = draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True))
    return rows, sorted(places)


@pytest.mark.slow
@given(distinct_rows_and_places())
def test_k_replaced_rows_are_k_steps_or_twice_as_many(drawn: tuple[list[float], list[int]]) -> None:
    rows, places = drawn
    replaced = [200.0 + i if i in places else row for i, row in enumerate(rows)]
    pair = Pair(Dataset(rows), Dataset(replaced))
    assert pair.relation is REPLACE_ONE
    assert pair.rows == pair.steps(REPLACE_ONE) == len(places)
    assert pair.steps(ADD_REMOVE) == 2 * len(places)


def test_a_moved_row_may_need_fewer_edits_than_replacements() -> None:
    rotated = Pair(Dataset([1.0, 2.0, 3.0, 4.0]), Dataset([2.0, 3.0, 4.0, 1.0]))
    assert rotated.steps(REPLACE_ONE) == 4
    assert rotated.steps(ADD_REMOVE) == 2


@pytest.mark.slow
@given(distinct_rows_and_places(), st.booleans())
def test_k_added_or_removed_rows_are_k_steps_and_nothing_under_replace_one(
    drawn: tuple[list[float], list[int]], swapped: bool
) -> None:
    rows, places = drawn
    longer = np.insert(np.array(rows), places, np.full(len(places), 200.0))
    sides = (Dataset(rows), Dataset(longer))
    pair = Pair(*sides[::-1]) if swapped else Pair(*sides)
    assert pair.relation is ADD_REMOVE
    assert pair.rows == pair.steps(ADD_REMOVE) == len(places)
    with pytest.raises(InvalidInput, match="under replace-one both datasets need the same size"):
        pair.steps(REPLACE_ONE)


@given(small_rows, small_rows)
def test_add_remove_steps_are_the_fewest_there_are(a: list[int], b: list[int]) -> None:
    if a == b:
        with pytest.raises(InvalidInput, match="must differ"):
            Pair(Dataset(a), Dataset(b))
    else:
        assert Pair(Dataset(a), Dataset(b)).steps(ADD_REMOVE) == edits_by_definition(tuple(a), tuple(b))


@pytest.mark.slow
@given(small_rows, st.data())
def test_a_changed_label_is_a_changed_row(y: list[int], data: st.DataObject) -> None:
    other = data.draw(st.lists(st.integers(0, 2), min_size=len(y), max_size=len(y)).filter(lambda z: z != y))
    X = np.zeros(len(y))
    pair = Pair(Dataset(X, y), Dataset(X, other))
    assert pair.rows == sum(a != b for a, b in zip(y, other, strict=True))
    assert pair.steps(ADD_REMOVE) == edits_by_definition(tuple(y), tuple(other))


def test_row_and_label_changed_together_are_one_row() -> None:
    base = Dataset([[0.0, 0.0], [1.0, 1.0]], ["a", "b"])
    assert Pair(base, Dataset([[0.0, 2.0], [1.0, 1.0]], ["b", "b"])).rows == 1


def test_equal_datasets_are_no_pair() -> None:
    with pytest.raises(InvalidInput, match="must differ, got the same rows twice"):
        Pair(Dataset([0.0, 1.0]), Dataset([0.0, 1.0]))


def test_minus_zero_is_zero() -> None:
    with pytest.raises(InvalidInput, match="must differ"):
        Pair(Dataset([0.0, 1.0]), Dataset([-0.0, 1.0]))


def test_the_neighbour_stays_in_the_domain_fixed_on_the_base() -> None:
    inside, wide = Dataset([0.5, 1.0], domain=Box(0, 1)), Dataset([0.5, 2.0], domain=Box(0, 5))
    with pytest.raises(InvalidInput, match="outside Box"):
        Pair(inside, wide)
    assert Pair(wide, inside).neighbour.domain is wide.domain


def test_the_neighbour_carries_legal_labels() -> None:
    base = Dataset([0.0, 1.0], [0, 1], Box(0, 1, labels=(0, 1)))
    with pytest.raises(InvalidInput, match="labels must be among"):
        Pair(base, Dataset([0.0, 1.0], [0, 2]))


def test_only_comparable_datasets_make_a_pair() -> None:
    with pytest.raises(InvalidInput, match="same columns, got 1 and 2"):
        Pair(Dataset([0.0]), Dataset([[0.0, 1.0]]))
    with pytest.raises(InvalidInput, match="labels on one"):
        Pair(Dataset([0.0], [0]), Dataset([1.0]))
    with pytest.raises(InvalidInput, match=r"neighbour must be a Dataset, got list; wrap it"):
        Pair(Dataset([0.0]), [1.0])  # type: ignore[arg-type]
