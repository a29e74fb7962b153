"""Typed tables: which values are legal, and the codes that stand for them."""

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mlaudit.errors import InvalidInput
from mlaudit.naming.codec import decode, encode
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Relation
from mlaudit.types.clipping import as_clipping
from mlaudit.types.column import TypedColumn
from mlaudit.types.columns import Columns
from mlaudit.types.coverage import find_uncovered
from mlaudit.types.dataset import Dataset
from mlaudit.types.differences import differences
from mlaudit.types.domain import Box
from mlaudit.types.number_columns import Boolean, Integer, Number
from mlaudit.types.pair import Pair
from mlaudit.types.text_columns import Category, Text

texts = st.lists(st.text(max_size=5), unique=True, max_size=4)


@st.composite
def columns(draw: st.DrawFn) -> Columns:
    """A domain of one to four columns of every kind."""
    found = []
    for at in range(draw(st.integers(1, 4))):
        kind, missing = draw(st.integers(0, 4)), draw(st.booleans())
        low, high = sorted(draw(st.lists(st.integers(-(2**53), 2**53), min_size=2, max_size=2)))
        least, most = sorted(draw(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2)))
        made: list[TypedColumn] = [
            Number(f"c{at}", least, most, missing),
            Integer(f"c{at}", low, high, missing),
            Boolean(f"c{at}", missing),
            Category(f"c{at}", (*draw(texts), 7), missing),
            Text(f"c{at}", tuple(draw(texts)), missing),
        ]
        found.append(made[kind])
    return Columns(found)


@st.composite
def columns_and_points(draw: st.DrawFn) -> tuple[Columns, FloatArray]:
    domain = draw(columns())
    shape = (draw(st.integers(1, 5)), len(domain.columns))
    return domain, draw(arrays(float, shape, elements=st.floats(-1e17, 1e17) | st.just(np.nan)))


@pytest.mark.slow
@given(columns_and_points())
def test_a_projection_is_legal_and_stays_where_it_is(drawn: tuple[Columns, FloatArray]) -> None:
    domain, points = drawn
    found = domain.project(points)
    assert domain.contains(found).all()
    np.testing.assert_array_equal(domain.project(found), found)
    inside = domain.contains(points)
    np.testing.assert_allclose(found[inside], points[inside] + 0.0, rtol=1e-8, atol=1e-8)
    assert Dataset(found, domain=domain).domain is domain


@pytest.mark.slow
@given(columns_and_points())
def test_legal_codes_are_values_and_back(drawn: tuple[Columns, FloatArray]) -> None:
    domain, points = drawn
    codes = domain.project(points)
    np.testing.assert_array_equal(domain.encode(domain.decode(codes)), codes)
    by_rows = domain.read_rows(codes)
    table = {name: [row[at] for row in by_rows] for at, name in enumerate(domain.names)}
    np.testing.assert_array_equal(domain.encode(table), codes)


@pytest.mark.slow
@given(columns_and_points())
def test_files_and_pickles_keep_a_typed_dataset(drawn: tuple[Columns, FloatArray]) -> None:
    domain, points = drawn
    data = Dataset(domain.project(points), domain=domain)
    for again in (decode(encode(data)), pickle.loads(pickle.dumps(data))):
        assert again.digest == data.digest
        assert again.domain.columns == domain.columns
        assert {name: repr(v.tolist()) for name, v in again.columns.items()} == {
            name: repr(v.tolist()) for name, v in data.columns.items()
        }


@pytest.mark.slow
@given(columns_and_points())
def test_numbers_that_stand_for_rows_are_finite(drawn: tuple[Columns, FloatArray]) -> None:
    domain, points = drawn
    data = Dataset(domain.project(points), domain=domain)
    assert np.isfinite(data.finite).all()
    there = ~np.isnan(data.X)
    np.testing.assert_array_equal(data.finite[there], data.X[there])


PEOPLE = Columns([Integer("age", 0, 120), Text("city", ("Rome", "Oslo"), missing=True), Boolean("smokes")])


def test_a_type_does_not_depend_on_the_rows() -> None:
    whole, gappy = (Dataset([[1, code, 1]], domain=PEOPLE) for code in (0.0, np.nan))
    kinds = [{name: values.dtype for name, values in data.columns.items()} for data in (whole, gappy)]
    assert kinds[0] == kinds[1] == {"age": np.dtype("int64"), "city": np.dtype(object), "smokes": np.dtype(bool)}


def test_a_learner_that_changes_its_columns_changes_no_other_training() -> None:
    data = Dataset([[1, 0, 1]], domain=PEOPLE)
    data.columns["city"][0] = "Bonn"
    assert data.columns["city"].tolist() == ["Rome"]


def test_the_same_codes_of_other_values_are_other_data() -> None:
    codes = [[0.0], [1.0]]
    one, other = (Dataset(codes, domain=Columns([Category("c", values)])) for values in (("a", "b"), ("b", "a")))
    assert one.digest != other.digest


def test_a_missing_value_equals_a_missing_value() -> None:
    base = Dataset([[1.0, np.nan, 0.0], [2.0, 0.0, 0.0]], domain=PEOPLE)
    pair = Pair(base, base.with_rows([[1, np.nan, 0], [2, np.nan, 0]]), target=[2, np.nan, 0])
    assert (pair.rows, pair.steps(Relation.ADD_REMOVE)) == (1, 2)
    assert pair.target is not None
    assert np.isfinite(pair.target).all()
    assert differences(pair) == ["row 1: [age 2, city 'Rome', smokes False], became [age 2, city None, smokes False]"]


def test_zeros_are_a_null_record_only_among_numbers() -> None:
    assert "zero-out" in find_uncovered(Relation.ZERO_OUT, Dataset([[1, 0, 1]], domain=PEOPLE))
    numbers = Columns([Number("x", -1, 1), Integer("n", 0, 3)])
    assert find_uncovered(Relation.ZERO_OUT, Dataset([[0.5, 1]], domain=numbers)) == ""


def test_an_unseen_text_is_one_that_is_not_listed() -> None:
    assert Text("c", ("unseen text", "unseen text 2")).unseen == "unseen text 3"


WRONG: list[tuple[Any, str]] = [
    (lambda: Number("x", 1, 0), "column 'x' must have low ≤ high, got 1 and 0"),
    (lambda: Number("", 0, 1), "name of a column must not be empty"),
    (lambda: Integer("n", 0.5, 1), "low of column 'n' must be a whole number"),  # type: ignore[arg-type]
    (lambda: Integer("n", 0, 2**60), "high of column 'n' must be a whole number of at most 2\\^53"),
    (lambda: Boolean("b", missing="no"), "missing of column 'b' must be"),  # type: ignore[arg-type]
    (lambda: Category("c", ()), "values of column 'c' must be texts or numbers, at least one"),
    (lambda: Category("c", (1, True)), "values of column 'c' must be all different"),
    (lambda: Category("c", (float("nan"),)), "values of column 'c' must be texts or numbers"),
    (lambda: Text("t", ("a", "a")), "values of column 't' must be all different"),
    (lambda: Text("t", (1,)), "a value of column 't' must be"),  # type: ignore[arg-type]
    (lambda: Columns([]), "columns with different names, got none"),
    (lambda: Columns([Boolean("b"), Boolean("b")]), "got 'b' twice"),
    (lambda: Columns([Boolean]), "a column must be a Number, Integer, Boolean, Category or Text"),  # type: ignore[list-item]
    (lambda: PEOPLE.encode({"age": [1]}), "the table must have the column 'city'"),
    (lambda: Dataset([[1, 0]], domain=PEOPLE), "a box of 3 columns cannot hold rows of 2"),
    (lambda: Dataset([[np.nan, 0, 1]], domain=PEOPLE), "got row 0 outside Columns"),
    (lambda: Dataset([[np.inf, 0, 1]], domain=PEOPLE), "X must be finite"),
    (lambda: Dataset([[0.5, 0, 1]], domain=PEOPLE), "got row 0 outside Columns"),
    (lambda: Dataset([[1, 0, 1]], domain=PEOPLE).within(Box(0, 9)), "a typed table needs a learner that reads"),
    (lambda: Dataset([[1.0]]).columns, "columns belong to a typed table"),
    (lambda: as_clipping(PEOPLE, "any"), "leave --outside-domain out"),
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_what_is_wrong_gets_a_sentence(make: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        make()


def test_between_typed_domains_values_stay_and_not_codes() -> None:
    base, other = (
        Dataset(domain.encode({"c": values}), domain=domain)
        for domain, values in (
            (Columns([Text("c", ("a", "b"))]), ["a", "b", "b"]),
            (Columns([Category("c", ("b", "a"))]), ["a", "b", "a"]),
        )
    )
    pair = Pair(base, other)
    assert pair.rows == 1
    assert pair.neighbour.columns["c"].tolist() == ["a", "b", "a"]
    assert base.within(Columns([Text("c")])).columns["c"].tolist() == ["a", "b", "b"], "any text is legal"
    owned = Dataset(base.X, domain=base.domain, units=[7, 7, 8], unit="user").within(Columns([Text("c")]))
    assert owned.units is not None
    assert (owned.unit, owned.units.tolist()) == ("user", [7, 7, 8]), "the rows keep their owners"
    with pytest.raises(InvalidInput, match="column 'c' must hold one of 'a' in every row, got 'b'"):
        base.within(Columns([Category("c", ("a",))]))
    with pytest.raises(InvalidInput, match="the table must have the columns d, got c"):
        base.within(Columns([Text("d")]))
    unlisted = Columns([Text("c", ("new",))])
    with pytest.raises(InvalidInput, match="got a text in D′ that a column of D does not list"):
        Pair(base, Dataset(unlisted.encode({"c": ["new"] * 3}), domain=unlisted))


@pytest.mark.slow
@given(columns_and_points(), columns_and_points())
def test_files_keep_a_typed_pair(drawn: tuple[Columns, FloatArray], other: tuple[Columns, FloatArray]) -> None:
    """Also one with the unseen text: each side of a file has a domain of its own."""
    domain, points = drawn
    base = Dataset(domain.project(points), domain=domain)
    changed = np.vstack([base.X, domain.project(np.resize(other[1], (1, len(domain.columns)))), domain.high])
    again = decode(encode(Pair(base, base.with_rows(changed))))
    assert again.base.digest == base.digest
    assert again.neighbour.digest == base.with_rows(changed).digest
    assert again.neighbour.domain is again.base.domain
