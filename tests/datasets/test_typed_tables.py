"""Tables whose columns stay as they are: from files, dicts, records, and tables of other libraries."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlaudit.datasets import Boolean, Category, Columns, Integer, Number, Preparation, Text, from_table, load
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.results.card_text import card_facts, card_lines, card_rows, summarise_card
from mlaudit.types.column import TypedColumn, is_missing
from mlaudit.types.dataset import Dataset

FILE = """age,city,smokes,income,zip,member
31,Rome,True,1000.5,00184,yes
47,Oslo,false,,0150,no
?,Rome,,3000,10115,yes
18,"Rome, old",True,1e3,75001,NA
"""
VALUES: dict[str, list[Any]] = {
    "age": [31, 47, None, 18],
    "city": ["Rome", "Oslo", "Rome", "Rome, old"],
    "smokes": [True, False, None, True],
    "income": [1000.5, None, 3000.0, 1000.0],
    "zip": ["00184", "0150", "10115", "75001"],
    "member": ["yes", "no", "yes", None],
}
KINDS = {"age": Integer, "city": Text, "smokes": Boolean, "income": Number, "zip": Text, "member": Text}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(FILE, encoding="utf-8")
    return path


def plain(data: Dataset) -> dict[str, list[Any]]:
    """The values with None for NaN, which equals nothing."""
    return {name: [None if is_missing(v) else v for v in values.tolist()] for name, values in data.columns.items()}


def kinds(data: Dataset) -> dict[str, type]:
    assert isinstance(data.domain, Columns)
    return {column.name: type(column) for column in data.domain.columns}


def test_a_file_keeps_its_values(file: Path) -> None:
    data = load(file, preparation=Preparation(typed="any"))
    assert plain(data) == VALUES
    assert kinds(data) == KINDS
    assert data.y is None
    assert isinstance(data.domain, Columns)
    assert [c.name for c in data.domain.columns if c.missing] == ["age", "smokes", "income", "member"]


def test_seen_texts_are_the_only_legal_ones(file: Path) -> None:
    data = load(file, preparation=Preparation(typed="seen", columns=("city",)))
    assert isinstance(data.domain, Columns)
    assert data.domain.columns == (Category("city", ("Oslo", "Rome", "Rome, old")),)


def test_labels_stay_as_they_are_and_rows_without_one_are_dropped(file: Path) -> None:
    data = load(file, target="member", preparation=Preparation(typed="any", drop=("zip",)))
    assert data.y is not None
    assert data.y.tolist() == ["yes", "no", "yes"]
    assert list(data.columns) == ["age", "city", "smokes", "income"]
    card = data.card
    assert card is not None
    assert (card.rows_dropped, card.classes) == ((("without a label", 1),), (("no", 1), ("yes", 2)))


def test_the_card_says_what_was_read_off_the_rows(file: Path) -> None:
    data = load(file, preparation=Preparation(typed="any", drop=("zip", "member")))
    gap = ", or none (read off the rows)"
    income = f"smokes: True or False, or none; income: a number from 1000 to 3000{gap}"
    assert card_lines(data.card) == [
        "  data        people.csv: 4 rows, 4 of 6 columns, no label",
        "  left out    columns: zip, member (named by --drop)",
        f"  typed       age: a whole number from 18 to 47{gap}; city: any text; {income}",
    ]
    assert data.card is not None
    assert ("city", "any text") in card_rows(data.card)
    assert ("Label", "none") in list(card_facts(data.card))
    summary = summarise_card(data.card)
    assert summary is not None
    assert summary["columns"][1] == {"name": "city", "encoding": "as it is", "levels": ["any text"], "imputed": 0}


def test_at_most_so_many_rows_are_drawn_with_a_seed(file: Path) -> None:
    one, same, other = (
        load(file, preparation=Preparation(typed="any", rows=2, seed=seed, columns=("zip",))) for seed in (0, 0, 2)
    )
    assert len(one) == 2
    assert plain(one) == plain(same) != plain(other)


def test_a_published_table_can_be_typed() -> None:
    data = load("iris", preparation=Preparation(typed="any", rows=5))
    assert set(kinds(data).values()) <= {Number, Integer}
    assert data.X.shape == (5, 5)


TABLES: dict[str, Any] = {
    "dict": lambda: VALUES,
    "records": lambda: [{name: column[i] for name, column in VALUES.items()} for i in range(4)],
    "records with gaps": lambda: [
        {name: column[i] for name, column in VALUES.items() if column[i] is not None} for i in range(4)
    ],
    "arrays": lambda: {name: np.array(column, dtype=object) for name, column in VALUES.items()},
    "pyarrow": lambda: pytest.importorskip("pyarrow").table(VALUES),
    "polars": lambda: pytest.importorskip("polars").DataFrame(VALUES),
    "pandas": lambda: pytest.importorskip("pandas").DataFrame(
        {name: pytest.importorskip("pandas").Series(column, dtype=object) for name, column in VALUES.items()}
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_kind_of_table_gives_the_same_data(name: str) -> None:
    data = from_table(TABLES[name]())
    assert plain(data) == VALUES
    assert kinds(data) == KINDS
    assert data.digest == from_table(VALUES).digest


def test_declared_columns_do_not_look_at_the_rows() -> None:
    columns: list[TypedColumn] = [Integer("age", 0, 120), Text("city", missing=True)]
    one, other = (from_table({"age": [age], "city": [city]}, columns) for age, city in ((3, "Rome"), (99, None)))
    assert isinstance(one.domain, Columns)
    assert one.domain.columns == (columns[0], Text("city", ("Rome",), missing=True))
    assert isinstance(other.domain, Columns)
    assert other.domain.columns == tuple(columns)
    assert card_lines(one.card)[-1] == "  typed       age: a whole number from 0 to 120; city: any text, or none"


def test_a_frame_has_the_declared_types_with_and_without_gaps() -> None:
    pytest.importorskip("pandas")
    columns: list[TypedColumn] = [
        Integer("age", 0, 120),
        Integer("visits", 0, 9, missing=True),
        Text("city"),
        Number("x", 0, 1),
    ]
    full, gappy = (
        from_table({"age": [3], "visits": [visits], "city": ["Rome"], "x": [0.5]}, columns).frame()
        for visits in (1, None)
    )
    assert full.dtypes.astype(str).tolist() == gappy.dtypes.astype(str).tolist()
    assert full.dtypes.astype(str).tolist() == ["int64", "object", "object", "float64"]
    assert gappy["visits"].tolist() == [None]


WRONG: list[tuple[Any, str]] = [
    (lambda: from_table([1, 2]), "a table must be a dict of columns, a list of dicts"),
    (lambda: from_table({"a": "text"}), "column 'a' must be a list of values, got str"),
    (lambda: from_table({"a": [1], "b": [1, 2]}), "columns of one length .* got 'a': 1, 'b': 2"),
    (lambda: from_table({"a": []}), "with a row at least"),
    (lambda: from_table({}), "got none"),
    (lambda: from_table({"a": [1]}, target="a"), "a column besides the label"),
    (lambda: from_table({"a": [1, "x"]}), "column 'a' must hold texts, finite numbers, or True and False, one kind"),
    (lambda: from_table({"a": [1j]}), "column 'a' must hold texts"),
    (lambda: from_table({"a": [float("inf")]}), "column 'a' must hold texts, finite numbers"),
    (lambda: from_table({"a": [1]}, texts="all"), "no kind of texts is called 'all'"),
    (lambda: from_table({"a": [1]}, [Integer("b", 0, 1)]), "every column must have a type, got none for 'a'"),
    (lambda: from_table({"a": [1]}, [Boolean("a"), Boolean("b")]), "the table must have the column 'b'"),
    (lambda: from_table({"a": [None]}, [Boolean("a")]), "column 'a' must hold True or False in every row, got None"),
    (lambda: from_table({"a": [1], "y": [None]}, target="y"), "a typed table must have a row, and a label in it"),
    (lambda: Preparation(typed="all"), "typed must be"),
    (lambda: Preparation(typed="any", scale="none"), "scale encodes columns as numbers, got a typed table"),
]


@pytest.mark.parametrize(("make", "said"), WRONG)
def test_what_is_wrong_gets_a_sentence(make: Any, said: str) -> None:
    with pytest.raises((InvalidInput, UnknownName), match=said):
        make()


@pytest.mark.parametrize("options", [{"columns": ("towns",)}, {"drop": ("towns",)}])
def test_a_column_that_is_not_there_is_named(options: Any, file: Path) -> None:
    with pytest.raises(UnknownName, match=r"no column of people\.csv.* is called 'towns'"):
        load(file, preparation=Preparation(typed="any", **options))
    with pytest.raises(UnknownName, match="is called 'towns'"):
        load(file, target="towns", preparation=Preparation(typed="any"))
