"""The data card tells all that was done to a table: rows, columns, encodings, classes; and its rules."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlaudit.datasets import load
from mlaudit.datasets._prepare import prepare
from mlaudit.datasets._recognise import read_booleans, read_days, recognise
from mlaudit.datasets._table import Table
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.card import ColumnCard, DataCard
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import Preparation

ROWS = 60


def messy(rows: int = ROWS, target: str = "plan", **columns: Any) -> Table:
    """Every kind of column that a table from an office has."""
    every: dict[str, list[Any]] = {
        "customer_id": [f"C{1000 + i}" for i in range(rows)],
        "signup": [f"2024-01-{1 + i % 28:02d}" for i in range(rows)],
        "age": ["" if i % 20 == 7 else 18 + (7 * i) % 50 for i in range(rows)],
        "active": ["True" if i % 3 else "False" for i in range(rows)],
        "region": [("north", "south", "NA")[i % 3] if i % 10 == 2 else "east" for i in range(rows)],
        "note": [f"called on day {i * i}" for i in range(rows)],
        "version": ["v2"] * rows,
        "price": [100 + i * i / 7 for i in range(rows)],
        "plan": [("basic", "pro", "team")[i % 3] for i in range(rows)],
        **columns,
    }
    texts = {name: np.array([str(value) for value in values]) for name, values in every.items()}
    return Table("office.csv", texts, target)


def card_of(table: Table, **how: Any) -> DataCard:
    card = prepare(table, Preparation(**how)).card
    assert card is not None
    return card


def test_every_step_is_on_the_card() -> None:
    card = card_of(messy(), rows=40)
    assert {column.name: column.dropped for column in card.dropped} == {
        "customer_id": "identifier",
        "signup": "date",
        "note": "identifier",
        "version": "constant",
    }
    assert [(column.name, column.encoding, column.levels) for column in card.kept] == [
        ("age", "number", ()),
        ("active", "boolean", ()),
        ("region", "one-hot", ("east", "north", "south")),
        ("price", "number", ()),
    ]
    lost = dict(card.rows_dropped)
    assert (card.rows_read, card.rows, card.features) == (ROWS, 40, 6)
    assert lost == {"with a missing value": 5, "not among the 40 drawn (--max-rows)": 15}
    assert [name for name, _ in card.classes] == ["basic", "pro", "team"]
    assert sum(rows for _, rows in card.classes) == 40


def test_classes_that_are_left_out_are_named() -> None:
    card = card_of(messy(), classes=("basic", "team"))
    assert dict(card.rows_dropped)["of other classes"] == dict(card.classes_dropped)["pro"]
    assert [name for name, _ in card.classes] == ["basic", "team"]
    assert card_of(messy(), targets="two classes").classes_dropped


def test_a_published_dataset_keeps_the_two_classes_of_the_paper_unless_others_are_named() -> None:
    card = load("iris").card
    assert card is not None
    assert ([name for name, _ in card.classes], card.classes_dropped) == (["0", "1"], (("2", 50),))
    three = load("iris", preparation=Preparation(classes=("0", "1", "2")))
    assert np.unique(np.asarray(three.y)).tolist() == [0, 1, 2]


def test_a_class_that_the_draw_leaves_no_row_of_leaves_no_gap_in_the_labels() -> None:
    """diffprivlib's trees compare labels with positions: of the labels 0 and 2 they would count one only."""
    labels = ["b"] + ["a", "c"] * 100
    table = messy(201, plan=labels, age=[3 * i for i in range(201)], region=["east"] * 201)
    seed = next(seed for seed in range(20) if "b" not in dict(card_of(table, rows=20, seed=seed).classes))
    # Fails for a correct program with probability < 1e-19: one row of 201 is among 20 twenty times.
    data = prepare(table, Preparation(rows=20, seed=seed))
    assert data.card is not None
    assert np.unique(np.asarray(data.y)).tolist() == [0, 1]
    assert dict(data.card.classes_dropped) == {"b": 0}


def test_named_columns_are_all_that_is_kept() -> None:
    card = card_of(messy(), columns=("signup", "age"))
    assert [(column.name, column.encoding) for column in card.kept] == [("signup", "date"), ("age", "number")]
    assert {column.dropped for column in card.dropped} == {"not in --columns"}


def test_dropped_columns_cost_no_rows() -> None:
    """A missing value in a column that nobody sees is no reason to drop a row."""
    assert card_of(messy(), drop=("age", "region")).rows == ROWS
    gaps = messy(customer_id=["" if i % 2 else f"C{i}" for i in range(ROWS)])
    assert card_of(gaps, drop=("age", "region")).rows == ROWS


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"columns": ("agee",)}, r"no column of office.csv is called 'agee'; did you mean 'age'\?"),
        ({"drop": ("regoin",)}, r"no column of office.csv is called 'regoin'; did you mean 'region'\?"),
        ({"drop": ("plan",)}, "--drop must name columns besides the label, got the label column 'plan'"),
        ({"columns": ("age",), "drop": ("age",)}, "kept or dropped, got 'age' in --columns and in --drop"),
        ({"columns": ("note",), "rows": 1000}, "got an identifier|has|must have"),
    ],
    ids=str,
)
def test_columns_that_cannot_be_chosen_are_refused(how: Any, sentence: str) -> None:
    table = messy(300, note=[f"note {i}" for i in range(300)])
    with pytest.raises(InvalidInput, match=sentence) as caught:
        prepare(table, Preparation(**how))
    assert isinstance(caught.value, UnknownName) or "did you mean" not in sentence


def test_missing_values_become_a_stated_constant_and_a_category_of_their_own() -> None:
    data = prepare(messy(), Preparation(missing=-1, scale="none", columns=("age", "region")))
    card = data.card
    assert card is not None
    assert (card.rows, card.missing) == (ROWS, "-1")
    age, region = card.columns[2], card.columns[4]
    assert (age.imputed, region.levels) == (3, ("(missing)", "east", "north", "south"))
    assert data.X[:, 0].tolist().count(-1.0) == 3
    assert data.X[:, 1].sum() == region.imputed


@given(row=st.integers(0, ROWS - 1), value=st.integers(100, 10_000))
@settings(max_examples=25, deadline=None)
def test_an_imputed_row_depends_on_its_own_row_alone(row: int, value: int) -> None:
    """With a mean in place of the constant, one changed row of the table would change other rows of D."""
    how = Preparation(missing=0, scale="none", columns=("age", "price"))
    ages = messy().columns["age"].tolist()
    before = prepare(messy(), how).X
    after = prepare(messy(age=[*ages[:row], value, *ages[row + 1 :]]), how).X
    assert np.flatnonzero((before != after).any(axis=1)).tolist() == [row]


def test_a_number_to_predict_stays_a_number() -> None:
    data = prepare(messy(target="price"), Preparation(targets="numbers", columns=("age", "active")))
    card, y = data.card, np.asarray(data.y)
    assert card is not None
    assert (y.dtype.kind, y.min(), y.max()) == ("f", 0.0, 1.0)
    assert card.label_range == (100.0, 100 + 59**2 / 7)
    assert card.classes == ()
    raw = prepare(messy(target="price"), Preparation(scale="none", columns=("age", "active")))
    assert np.asarray(raw.y).max() == pytest.approx(100 + 59**2 / 7)


def test_text_is_no_number_to_predict() -> None:
    with pytest.raises(
        InvalidInput, match=r"numbers in the label column 'plan', got 3 different labels such as 'bas"
    ):
        prepare(messy(), Preparation(targets="numbers"))


@pytest.mark.parametrize(
    ("name", "values", "reason"),
    [
        ("id", [7, 3, 9], "identifier"),
        ("userId", [7, 3, 9], "identifier"),
        ("Unnamed: 0", range(5), "identifier"),
        ("store_id", [1, 2] * 20, ""),  # a few stores are a category
        ("valid", [3 * i for i in range(40)], ""),
        ("row", range(40), "identifier"),
        ("income", [3 * i * i for i in range(40)], ""),
        ("name", [f"n{i}" for i in range(40)], "identifier"),
        ("name", ["ann", "bob"] * 20, ""),
        ("income", ["1,5", *(3 * i for i in range(40))], ""),  # a mistake among numbers, not an identifier
        ("day", ["31.12.2024", "01.02.2023"], "date"),
        ("when", ["2024-01-31T10:30:00Z", "", "2024-02-01"], "date"),
        ("when", ["2024-01-31", "never"], ""),
        ("empty", ["", "NA"], "no value in any row"),
    ],
    ids=str,
)
def test_identifiers_and_dates_are_recognised_by_stated_rules(name: str, values: Any, reason: str) -> None:
    assert recognise(name, np.array([str(value) for value in values])) == reason


def test_dates_and_booleans_are_numbers() -> None:
    assert read_days(np.array(["1970-01-02T06:00:00+02:00", "2000-01-01"])) == pytest.approx([1.25, 10957.0])
    assert read_days(np.array(["2024-13-45"])) is None
    for yes, no in (("TRUE", "FALSE"), ("yes", "No"), ("t", "f")):
        found = read_booleans(np.array([yes, no]))
        assert found is not None
        assert found.tolist() == [1.0, 0.0]
    assert read_booleans(np.array(["0", "1"])) is None  # numbers already


@given(
    rows=st.integers(30, 80),
    most=st.integers(20, 100),
    gaps=st.sets(st.integers(0, 29), max_size=10),
    seed=st.integers(0, 99),
)
@settings(max_examples=30, deadline=None)
def test_the_card_adds_up(rows: int, most: int, gaps: set[int], seed: int) -> None:
    table = messy(rows, age=["?" if i in gaps else 3 * i for i in range(rows)], region=["east", "west"] * (rows // 2))
    if rows % 2:
        table = messy(rows, age=["?" if i in gaps else 3 * i for i in range(rows)])
    data = prepare(table, Preparation(rows=most, seed=seed))
    card = data.card
    assert card is not None
    assert card.rows == len(data)
    assert card.features == data.X.shape[1]
    assert card.rows + sum(n for _, n in card.rows_dropped) == card.rows_read == rows
    assert {column.name for column in card.columns} == set(table.columns) - {table.target}
    assert [n for _, n in card.classes] == np.bincount(np.asarray(data.y)).tolist()


def test_a_card_changes_no_digest_and_edited_rows_have_none() -> None:
    data = prepare(messy(), Preparation())
    assert Dataset(data.X, data.y).digest == data.digest
    assert data.within(None).card is data.card
    assert data.with_rows(data.X, data.y).card is None


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ColumnCard("a"), "an encoding or a reason why it was dropped, got 'a'"),
        (lambda: ColumnCard("a", "number", dropped="date"), "an encoding or a reason"),
        (lambda: DataCard("t", 5, 3, (), (), 1, "y"), "add up to the 5 rows read, got 3 and 0"),
        (lambda: DataCard("t", 3, 3, (("x",),), (), 1, "y"), "pairs of a name and a number"),  # type: ignore[arg-type]
    ],
)
def test_a_card_that_does_not_add_up_is_refused(make: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        make()
