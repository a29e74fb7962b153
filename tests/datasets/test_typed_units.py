"""Typed tables whose rows have owners: the two options together."""

from pathlib import Path
from typing import Any

import pytest

from mlaudit import Claim, Dataset, audit, refute
from mlaudit.datasets import Category, Preparation, from_table, load
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.claim import Relation

FILE = "city,user\nRome,ann\nOslo,bob\nRome,ann\nBonn,cy\nOslo,bob\n"
COLUMNS = {"city": ["Rome", "Oslo", "Rome", "Bonn"], "user": ["ann", "bob", "ann", "cy"]}
CITIES = ("Bonn", "Oslo", "Rome")


def count_cities(data: Dataset, rng: Any) -> list[float]:
    """ε = 1 for each replaced row: a user of several rows has more."""
    cities = data.columns["city"].tolist()
    return [cities.count(city) + rng.laplace(scale=2.0) for city in CITIES]


def test_the_owners_of_a_file_are_no_column(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(FILE, encoding="utf-8")
    data = load(path, preparation=Preparation(typed="seen", unit="user"))
    assert list(data.columns) == ["city"]
    assert data.units is not None
    assert data.units.tolist() == ["ann", "bob", "ann", "cy", "bob"]
    assert data.card is not None
    assert data.card.unit == "user: 3 units, 1 to 2 rows each"
    assert [column.dropped for column in data.card.columns if column.name == "user"] == ["names the unit"]


def test_whole_units_are_drawn(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text(FILE, encoding="utf-8")
    data = load(path, preparation=Preparation(rows=3, typed="any", unit="user"))
    assert data.units is not None
    owners = data.units.tolist()
    assert len(owners) <= 3
    assert all(owners.count(owner) == {"ann": 2, "bob": 2, "cy": 1}[owner] for owner in owners)


def test_a_table_names_its_owners() -> None:
    data = from_table(COLUMNS, [Category("city", CITIES)], unit="user")
    assert (list(data.columns), data.unit) == (["city"], "user")
    assert data.units is not None
    assert data.units.tolist() == COLUMNS["user"]
    with pytest.raises(UnknownName, match="owner"):
        from_table(COLUMNS, unit="owner")
    with pytest.raises(InvalidInput, match="1 row without a value in 'user'"):
        from_table(COLUMNS | {"user": ["ann", None, "ann", "cy"]}, unit="user")
    with pytest.raises(InvalidInput, match="a column besides the label"):
        from_table({"user": ["ann", "bob"]}, unit="user")


@pytest.mark.slow
def test_a_user_of_two_rows_costs_twice_the_claim_of_one_row() -> None:
    data = from_table(COLUMNS, [Category("city", CITIES)], unit="user")
    result = audit(count_cities, data, claim=Claim(1.0), rows=(1,), trainings=2000, seed=3)
    assert result.pair.steps(Relation.REPLACE_ONE) == 1
    changed = result.pair.base.X.ravel() != result.pair.neighbour.X.ravel()
    assert {COLUMNS["user"][at] for at in changed.nonzero()[0]} == {"ann"}
    # The true loss is 2. Fails with probability < 1e-8: the bounds of 12 other seeds are 1.67 ± 0.11.
    assert result.violated


@pytest.mark.slow
def test_every_detector_takes_typed_tables_with_owners() -> None:
    data = from_table(COLUMNS, [Category("city", CITIES)], unit="user")
    # No outcome refutes the claim: the largest bound of so few trainings is below it.
    found = refute(count_cities, data, claim=Claim(4.5), trainings=200, seed=5, find_all=True)
    assert [one.detector for one in found.attempts] == ["worst_data", "scan_object", "search_on_data"]
    assert (found.claim.unit, found.verdict) == ("user", "inconclusive")
