"""One row editor and one row differ: the differ tells exactly the rows that were edited, and every edit is legal."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlaudit.errors import InvalidInput
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box
from mlaudit.types.edits import Positions, add_rows, find_unequal, relabel_rows, remove_rows, replace_rows
from mlaudit.types.matching import count_edits, count_replaced, find_changes, match_rows
from mlaudit.types.pair import Pair

DOMAIN = Box([0.0, 0.0], [1.0, 1.0], labels=("a", "b", "longer"))
values = st.floats(0.0, 1.0)
new_points = st.tuples(values, values)
new_labels = st.sampled_from(["a", "b", "longer"])


def rows_of(data: Dataset) -> list[tuple[tuple[float, ...], Any]]:
    labels = [None] * len(data) if data.y is None else data.y.tolist()
    return [(tuple(x), label) for x, label in zip(data.X.tolist(), labels, strict=True)]


@st.composite
def datasets(draw: st.DrawFn, *, distinct: bool = True, most: int = 30) -> Dataset:
    """Rows on a grid, with labels of the domain or with none."""
    cells = draw(st.lists(st.integers(0, 99), min_size=1, max_size=most, unique=distinct))
    labelled = draw(st.booleans())
    X = [[cell / 100, (cell % 7) / 10] for cell in cells]
    y = draw(st.lists(st.sampled_from("ab"), min_size=len(X), max_size=len(X))) if labelled else None
    return Dataset(X, y, DOMAIN if draw(st.booleans()) else None, "rows")


@st.composite
def positions(draw: st.DrawFn, data: Dataset, most: int | None = None) -> list[int]:
    """Some positions of D, in any order."""
    some = st.lists(st.integers(0, len(data) - 1), min_size=1, max_size=most or len(data), unique=True)
    return draw(some)


@pytest.mark.slow
@given(datasets(distinct=False), st.data())
def test_replaced_rows_are_those_that_the_differ_tells(data: Dataset, more: st.DataObject) -> None:
    at = more.draw(positions(data))
    X = [more.draw(new_points) for _ in at]
    y: list[Any] | None = None if data.y is None else [more.draw(new_labels) for _ in at]
    edited = replace_rows(data, at, X, y)
    wanted = rows_of(data)
    for i, x, label in zip(at, X, y or [None] * len(at), strict=True):
        wanted[i] = (x, label)
    assert rows_of(edited) == wanted
    changed = [i for i, (old, new) in enumerate(zip(rows_of(data), wanted, strict=True)) if old != new]
    assert [(one.base, one.neighbour) for one in find_changes(data, edited)] == [(i, i) for i in changed]
    assert count_replaced(data, edited) == len(changed)


@pytest.mark.slow
@given(datasets(distinct=False), st.data())
def test_relabelled_rows_are_those_that_the_differ_tells(data: Dataset, more: st.DataObject) -> None:
    at, label = more.draw(positions(data)), more.draw(new_labels)
    edited = relabel_rows(data, at, label)
    old = [] if data.y is None else data.y.tolist()
    np.testing.assert_array_equal(edited.X, data.X)
    assert [one.base for one in find_changes(data, edited)] == sorted(i for i in at if old and old[i] != label)


@pytest.mark.slow
@given(datasets(), st.data())
def test_removed_rows_are_those_that_the_differ_tells(data: Dataset, more: st.DataObject) -> None:
    at = more.draw(positions(data))
    if len(at) == len(data):
        with pytest.raises(InvalidInput, match=f"at least one row, got {len(at)} to remove of {len(data)}"):
            remove_rows(data, at)
        return
    edited = remove_rows(data, at)
    assert rows_of(edited) == [row for i, row in enumerate(rows_of(data)) if i not in at]
    assert [(one.base, one.neighbour) for one in find_changes(data, edited)] == [(i, None) for i in sorted(at)]


@pytest.mark.slow
@given(datasets(), st.data())
def test_added_rows_are_those_that_the_differ_tells(data: Dataset, more: st.DataObject) -> None:
    at = sorted(more.draw(st.lists(st.integers(0, len(data)), min_size=1, max_size=5)))
    X = [(0.5, 0.905 + i / 1000) for i in range(len(at))]  # none of D's
    y: list[Any] | None = None if data.y is None else [more.draw(new_labels) for _ in at]
    edited = add_rows(data, at, X, y)
    wanted: list[Any] = rows_of(data)
    for i, x, label in reversed(list(zip(at, X, y or [None] * len(at), strict=True))):
        wanted.insert(i, (x, label))
    assert rows_of(edited) == wanted
    new = [i + before for before, i in enumerate(at)]
    assert [(one.base, one.neighbour) for one in find_changes(data, edited)] == [(None, i) for i in new]


@pytest.mark.slow
@given(datasets(distinct=False, most=10), datasets(distinct=False, most=10))
def test_a_match_turns_one_dataset_into_the_other_in_the_fewest_edits(a: Dataset, b: Dataset) -> None:
    if (a.y is None) != (b.y is None):
        a, b = Dataset(a.X), Dataset(b.X)
    matches = match_rows(a, b)
    assert [one.base for one in matches if one.base is not None] == list(range(len(a)))
    assert [one.neighbour for one in matches if one.neighbour is not None] == list(range(len(b)))
    old, new = rows_of(a), rows_of(b)
    for one in matches:
        equal = one.base is not None and one.neighbour is not None and old[one.base] == new[one.neighbour]
        assert one.changed != equal
    fewest = count_replaced(a, b) if len(a) == len(b) else count_edits(a, b)
    assert sum(one.changed for one in matches) == fewest == len(find_changes(a, b))
    if fewest:
        pair = Pair(a.within(None), b.within(None))
        assert pair.rows == fewest
        assert pair.steps(Relation.ADD_REMOVE) == count_edits(a, b)


EDITS: dict[str, Callable[[Dataset, Any, Any], Dataset]] = {
    "replace": lambda data, x, y: replace_rows(data, 0, x, y),
    "relabel": lambda data, _, y: relabel_rows(data, 0, y),
    "add": lambda data, x, y: add_rows(data, 0, x, y),
    "remove": lambda data, _x, _y: remove_rows(data, 0),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_dataset_keeps_its_name_and_domain(edit: str) -> None:
    data = Dataset([[0.0, 0.0], [1.0, 1.0]], ["a", "b"], DOMAIN, "mine")
    edited = EDITS[edit](data, [0.5, 0.5], "b")
    assert (edited.name, edited.domain) == ("mine", DOMAIN)
    assert edited.digest != data.digest


@pytest.mark.parametrize("edit", ["replace", "add"])
def test_a_row_outside_the_domain_is_refused(edit: str) -> None:
    data = Dataset([[0.0, 0.0]], ["a"], DOMAIN)
    with pytest.raises(InvalidInput, match="every row must lie in the declared domain"):
        EDITS[edit](data, [0.5, 1.5], "a")


@pytest.mark.parametrize("edit", ["replace", "relabel", "add"])
@pytest.mark.parametrize(
    ("labels", "label", "said"),
    [
        (["a", "b"], "c", "labels must be among"),
        ([0, 1], 0.5, "new labels must be of the type of the old ones, int64, got 0.5"),
        ([0, 1], "a", "new labels must be of the type of the old ones, int64, got 'a'"),
    ],
)
def test_a_label_that_does_not_fit_is_refused(edit: str, labels: list[Any], label: Any, said: str) -> None:
    domain = DOMAIN if isinstance(labels[0], str) else None
    data = Dataset([[0.0, 0.0], [1.0, 1.0]], labels, domain)
    with pytest.raises(InvalidInput, match=said):
        EDITS[edit](data, [0.5, 0.5], label)


@pytest.mark.parametrize("edit", ["replace", "relabel", "add"])
def test_a_longer_label_is_not_cut(edit: str) -> None:
    data = Dataset([[0.0, 0.0], [1.0, 1.0]], ["a", "b"], DOMAIN)
    edited = EDITS[edit](data, [0.5, 0.5], "longer")
    assert np.asarray(edited.y)[0] == "longer"


def test_a_row_added_to_labelled_rows_needs_a_label() -> None:
    with pytest.raises(InvalidInput, match="needs a label"):
        add_rows(Dataset([0.0], y=[1]), 0, [0.5])


@pytest.mark.parametrize("at", [1, [1], range(1, 2), np.array([1])])
def test_positions_may_be_given_in_several_forms(at: Positions) -> None:
    data = Dataset([0.0, 1.0, 2.0], y=[0, 1, 0])
    assert remove_rows(data, at).X.ravel().tolist() == [0.0, 2.0]
    assert replace_rows(data, at, [5.0]).X.ravel().tolist() == [0.0, 5.0, 2.0]
    assert np.asarray(relabel_rows(data, at, 7).y).tolist() == [0, 7, 0]
    assert add_rows(data, at, [5.0], 7).X.ravel().tolist() == [0.0, 5.0, 1.0, 2.0]


@pytest.mark.slow
@given(datasets(distinct=False), st.data())
def test_replacing_a_row_that_is_unequal_changes_it_and_no_other_does(data: Dataset, more: st.DataObject) -> None:
    order = np.array(more.draw(st.permutations(range(len(data)))))
    i = more.draw(st.integers(0, len(data) - 1))
    x, label = data.X[i], None if data.y is None else data.y[i].item()
    unequal = find_unequal(data, order, x, label).tolist()
    assert unequal == [j for j in order.tolist() if rows_of(data)[j] != rows_of(data)[i]]
    changes = find_changes(data, replace_rows(data, range(len(data)), x, label))
    assert sorted(unequal) == [one.base for one in changes]
