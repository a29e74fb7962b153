"""Published data: the right files and no others, from a folder, a cache, or OpenML."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from http.server import ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openml_server import Answering, OpenML, answered_by, asked_instead, nothing_at_hand

from mlaudit.cli import main
from mlaudit.datasets._load import load_data
from mlaudit.datasets._prepare import prepare
from mlaudit.datasets._published import Published, cache_folder
from mlaudit.datasets._table import MISSING, Table
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.naming.plugins import load, shipped
from mlaudit.types.preparation import Preparation

GIVEN = os.environ.get("MLAUDIT_DATA")
NEEDS_FILES = pytest.mark.skipif(not GIVEN, reason="MLAUDIT_DATA does not name a folder with the published files")

# Class counts as published; columns one-hot and numeric after preparation to at most 1000 and 500 rows.
COUNTS = {
    "adult": {"<=50K": 37155, ">50K": 11687},
    "banknote": {"0": 762, "1": 610},
    "breast_cancer": {"0": 212, "1": 357},
    "credit": {"1": 700, "2": 300},
    "credit_approval": {"+": 307, "-": 383},
    "credit_default": {"0": 23364, "1": 6636},
    "iris": {"0": 50, "1": 50, "2": 50},
    "thoracic": {"F": 400, "T": 70},
}
NUMERIC = {
    "adult": 6,
    "banknote": 4,
    "breast_cancer": 30,
    "credit": 7,
    "credit_approval": 6,
    "credit_default": 20,
    "iris": 4,
    "thoracic": 3,
}
ROWS = {
    "adult": 1000,
    "banknote": 1000,
    "breast_cancer": 569,
    "credit": 1000,
    "credit_approval": 653,
    "credit_default": 1000,
    "iris": 100,
    "thoracic": 470,
}
IMAGES = {"fashion_mnist", "cifar10"}  # which are tested in test_images.py
DOWNLOADED = sorted(set(COUNTS) - {"iris", "breast_cancer"})


def source(name: str) -> Published:
    found: Published = import_module(f"mlaudit.datasets.{name}").SOURCE
    return found


def table_of(name: str) -> Table:
    found: Table = load("datasets", name)()
    return found


def test_every_dataset_that_is_shipped_is_tested_here() -> None:
    assert set(shipped("datasets")) - IMAGES == set(COUNTS) == set(NUMERIC) == set(ROWS)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n if n not in DOWNLOADED else pytest.param(n, marks=NEEDS_FILES) for n in COUNTS])
def test_a_published_dataset_is_what_was_published(name: str) -> None:
    table = table_of(name)
    labels, counts = np.unique(table.columns[table.target], return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == COUNTS[name]
    assert table.name == name
    assert set(table.categorical) <= set(table.columns)
    complete = ~np.any([np.isin(column, MISSING) for column in table.columns.values()], axis=0)
    wide = prepare(table, Preparation())
    kept = [np.unique(c[complete]).size for n, c in table.columns.items() if n != table.target]
    assert len(wide) == ROWS[name] == min(1000, wide_rows(table, complete))
    assert NUMERIC[name] <= wide.X.shape[1] <= sum(kept)
    assert np.asarray(wide.y).min() == 0 < np.asarray(wide.y).max() == 1
    assert np.ptp(wide.X, axis=0).tolist() == [1.0] * wide.X.shape[1]
    narrow = load_data(name, how=RandomForest.traits.preparation)
    assert narrow.X.shape == (min(ROWS[name], 500), NUMERIC[name])


def wide_rows(table: Table, complete: Any) -> int:
    counts = np.unique(table.columns[table.target][complete], return_counts=True)[1]
    return int(np.sort(counts)[-2:].sum())


@NEEDS_FILES
@pytest.mark.parametrize(("name", "columns"), [("credit", 61), ("thoracic", 37), ("credit_approval", 46)])
def test_the_columns_of_small_tables_after_encoding(name: str, columns: int) -> None:
    table = table_of(name)
    complete = ~np.any([np.isin(column, MISSING) for column in table.columns.values()], axis=0)
    names = [n for n in table.columns if n != table.target]
    numeric = [n for n in names if is_numeric(table.columns[n][complete])]
    assert len(numeric) == NUMERIC[name]
    categories = [np.unique(table.columns[n][complete]).size for n in names if n not in numeric]
    expected = len(numeric) + sum(c for c in categories if c > 1)
    assert prepare(table, Preparation()).X.shape[1] == expected == columns


def is_numeric(column: Any) -> bool:
    try:
        column.astype(float)
    except ValueError:
        return False
    return True


@NEEDS_FILES
@pytest.mark.slow
def test_codes_of_credit_default_are_categories() -> None:
    wide, drop = (load_data("credit_default", how=Preparation(categorical=how)) for how in ("one-hot", "drop"))
    assert drop.X.shape[1] == 20
    assert set(np.unique(wide.X[:, 1:3])) == {0.0, 1.0}  # SEX, behind LIMIT_BAL
    assert (wide.X[:, 1] + wide.X[:, 2] == 1).all()


@NEEDS_FILES
def test_a_file_in_the_cache_serves_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = load_data("banknote")
    assert GIVEN is not None
    shutil.copy(Path(GIVEN) / "banknote.csv", tmp_path / "banknote.csv")
    monkeypatch.delenv("MLAUDIT_DATA")
    monkeypatch.setenv("MLAUDIT_CACHE", str(tmp_path))
    assert load_data("banknote").digest == expected.digest


@pytest.mark.parametrize("variable", ["MLAUDIT_DATA", "MLAUDIT_CACHE"])
def test_a_file_with_another_checksum_is_refused(
    variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "banknote.csv").write_text("a,y\n1,0\n2,1\n", encoding="utf-8")
    monkeypatch.delenv("MLAUDIT_DATA", raising=False)
    monkeypatch.setenv(variable, str(tmp_path))
    found = sha256((tmp_path / "banknote.csv").read_bytes()).hexdigest()
    with pytest.raises(InvalidInput) as caught:
        load_data("banknote")
    path = tmp_path / "banknote.csv"
    assert str(caught.value) == (
        f"{path} must be the published file (sha256 a4e6eb57f00d…), got {found[:12]}…; replace it"
    )


def test_where_downloads_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("MLAUDIT_CACHE", raising=False)
    assert cache_folder() == tmp_path / ".cache" / "mlaudit"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "mlaudit"
    monkeypatch.setenv("MLAUDIT_CACHE", str(tmp_path / "mine"))
    assert cache_folder() == tmp_path / "mine"


ARFF = """% ten people
@relation people
@attribute age numeric
@attribute 'home town' {Köln,'New York',"St. Gallen"}
@attribute row_id numeric
@attribute member {no,yes}
@attribute class {good,bad}
@data
30,Köln,1,no,good
41.5,'New York',2,yes,bad
?,"St. Gallen",3,yes,good
25,Köln,4,?,good
60,?,5,no,bad
35,"St. Gallen",6,yes,good
"""
COLUMN_KINDS = {
    "age": "numeric",
    "home town": "nominal",
    "row_id": "numeric",
    "member": "nominal",
    "class": "nominal",
}
PEOPLE = Published("people", "people.csv", "0" * 64, 77, (4, 2))


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return nothing_at_hand(tmp_path / "cache", monkeypatch)


@pytest.fixture
def openml(nowhere: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenML]:
    server = OpenML("people", ARFF, COLUMN_KINDS, frozenset({"age", "home town", "member"}))
    with asked_instead(server, monkeypatch):
        yield server


def test_a_table_comes_from_openml_with_names_numbers_and_missing_values(openml: OpenML) -> None:
    table = PEOPLE.table()
    assert {name: column.tolist() for name, column in table.columns.items()} == {
        "age": ["30.0", "41.5", "", "25.0", "60.0", "35.0"],
        "home town": ["Köln", "New York", "St. Gallen", "Köln", "", "St. Gallen"],
        "member": ["no", "yes", "yes", "", "no", "yes"],
        "class": ["good", "bad", "good", "good", "bad", "good"],
    }
    assert (table.name, table.target) == ("people", "class")
    data = prepare(table, Preparation())
    np.testing.assert_allclose(data.X[:, 0], [0, 1, 5 / 11.5])
    assert data.X[:, 1:].tolist() == [[1, 0, 0, 1, 0], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1]]
    assert np.asarray(data.y).tolist() == [1, 0, 1]


def test_the_second_load_asks_nobody(openml: OpenML, nowhere: Path) -> None:
    first = PEOPLE.table()
    asked = list(openml.asked)
    assert sorted(asked) == [
        "/api/v1/json/data/77",
        "/api/v1/json/data/features/77",
        "/api/v1/json/data/qualities/77",
        "/data/v1/download/1177/people.arff",
    ]
    second = PEOPLE.table()
    assert openml.asked == asked
    assert all((first.columns[name] == second.columns[name]).all() for name in first.columns)
    assert any(path.name == "people.arff.gz" for path in nowhere.rglob("*"))


def test_a_file_at_hand_is_preferred_to_openml(openml: OpenML, nowhere: Path) -> None:
    nowhere.mkdir()
    (nowhere / "people.csv").write_text("a,y\n1,n\n2,p\n", encoding="utf-8")
    mine = replace(PEOPLE, sha256=sha256((nowhere / "people.csv").read_bytes()).hexdigest())
    assert list(mine.table().columns) == ["a", "y"]
    assert openml.asked == []


def test_another_table_under_the_same_number_is_refused(openml: OpenML) -> None:
    with pytest.raises(InvalidInput) as caught:
        replace(PEOPLE, class_counts=(3, 3)).table()
    assert str(caught.value) == "people must have classes of (3, 3) rows, got (2, 4) from OpenML"


def test_a_download_with_another_checksum_is_refused(openml: OpenML) -> None:
    openml.checksum = "0" * 32
    with pytest.raises(
        InvalidInput, match=r"^people must be on this machine or on OpenML, got neither \(ValueError\)"
    ):
        PEOPLE.table()


def test_openml_without_the_dataset(openml: OpenML, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)  # scikit-learn waits between its attempts
    with pytest.raises(
        InvalidInput, match=r"^people must be on this machine or on OpenML, got neither \(HTTPError\)"
    ):
        replace(PEOPLE, openml_id=78).table()


def test_offline_is_told_in_one_sentence(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as gone:
        port = gone.server_address[1]
    answered_by(f"http://127.0.0.1:{port}", monkeypatch)  # nobody listens there any more
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("warnings.showwarning", print)  # main() puts its own in place
    assert main(["run", "naive_bayes", "--data", "adult"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "mlaudit: adult must be on this machine or on OpenML, got neither (URLError); put adult.csv.gz into the "
        f"folder that MLAUDIT_DATA names, or into {nowhere}\n"
    )


@pytest.mark.parametrize("name", DOWNLOADED)
def test_every_download_says_what_it_must_be(name: str) -> None:
    published = source(name)
    assert published.name == name
    assert sorted(published.class_counts) == sorted(COUNTS[name].values())
    assert len(published.sha256) == 64
