"""`mlaudit run --data FILE` with every option on how a table becomes data; `mlaudit list` of what there is."""

import gzip
import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from mlaudit import AuditResult, Dataset
from mlaudit.cli import main
from mlaudit.naming.plugins import shipped

RUN = "run naive_bayes --attack prior_flip --trainings 100 --rows 1 --json"
GROUPS = ("north", "south", "west")


def saved(files: list[str]) -> AuditResult:
    path = next(file for file in files if file.endswith("result.json"))
    return AuditResult.from_json(Path(path).read_text(encoding="utf-8"))


def people(n: int = 120) -> str:
    """Text categories, a quoted comma, missing values in three columns, three labels and a label that is not last."""
    rng = default_rng(0)
    lines = ["income,status,region,note"]
    for i in range(n):
        income = "" if i % 17 == 0 else f"{rng.normal(30, 5):.2f}"
        region = "?" if i % 23 == 0 else GROUPS[int(rng.integers(3))]
        status = "unknown" if i % 10 == 0 else ("bad", "good")[int(rng.random() < 0.6)]
        lines.append(f'{income},{status},{region},"{("x", "y, z")[i % 2]}"')
    return "\n".join(lines) + "\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(people(), encoding="utf-8")
    (tmp_path / "people.csv.gz").write_bytes(gzip.compress(people().encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(options: str, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], Dataset]:
    """What was printed, and the D that was audited."""
    capsys.readouterr()
    assert main(shlex.split(f"{RUN} {options}")) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    found: dict[str, Any] = json.loads(printed.out)
    return found, saved(found["files"]).pair.base


def complete() -> list[list[str]]:
    rows = [line.split(",", 3) for line in people().splitlines()[1:]]
    return [row for row in rows if "" not in row and "?" not in row]


@pytest.mark.slow
def test_a_file_with_every_option(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--target status --classes good,unknown --categorical one-hot --max-rows 40 --data-seed 5"
    found, data = run(f"--data people.csv {options} --out here", capsys)
    assert (found["mechanism"], found["dataset"], found["attack"]) == ("naive_bayes", "people", "prior_flip")
    assert data.name == "people"
    assert data.X.shape == (40, 1 + 3 + 2)  # income, region, note
    assert np.asarray(data.y).tolist().count(1) == sum_of("unknown", data)
    assert (data.X[:, 1:4].sum(axis=1) == 1).all()
    assert (data.X[:, 4:].sum(axis=1) == 1).all()
    assert (data.X.min(), data.X.max()) == (0.0, 1.0)
    written = json.loads((here / "here" / "result.json").read_text(encoding="utf-8"))
    assert written["dataset"] == "people"


def sum_of(label: str, data: Dataset) -> int:
    """How many of the kept rows had the label: both are found again by their regions, notes and order."""
    rows = [row for row in complete() if row[1] in ("good", "unknown")]
    kept = np.sort(default_rng(5).permutation(len(rows))[: len(data)])
    return sum(rows[i][1] == label for i in kept)


@pytest.mark.slow
def test_a_file_without_options(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, data = run("--data people.csv --target status --alpha 1e-6", capsys)
    rows = complete()
    assert data.X.shape == (len(rows), 6)
    assert np.asarray(data.y).tolist() == [("bad", "good", "unknown").index(row[1]) for row in rows]
    incomes = np.array([float(row[0]) for row in rows])
    np.testing.assert_allclose(data.X[:, 0], (incomes - incomes.min()) / np.ptp(incomes))
    # Fails for a correct program with probability < 1e-6: α.
    assert found["verdict"] == "not_refuted"


def test_the_last_column_is_the_label_unless_another_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, data = run("--data people.csv", capsys)
    assert data.X.shape == (len(complete()), 1 + 3 + 3)
    assert np.asarray(data.y).tolist() == [int(row[3] == '"y, z"') for row in complete()]


@pytest.mark.slow
def test_a_compressed_file_is_the_same_data(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, packed = (run(f"--data people.csv{end} --target status", capsys) for end in ("", ".gz"))
    assert plain[1].digest == packed[1].digest
    assert plain[0]["dataset"] == packed[0]["dataset"] == "people"
    assert plain[0]["epsilon_lower"] == packed[0]["epsilon_lower"]


@pytest.mark.slow
def test_categories_can_be_left_out(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, data = run("--data people.csv --target status --categorical drop", capsys)
    assert data.X.shape[1] == 1


@pytest.mark.slow
def test_another_data_seed_keeps_other_rows(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--data people.csv --target status --max-rows 50"
    first, again, other = (run(f"{options} --data-seed {seed}", capsys)[1] for seed in (1, 1, 2))
    assert len(first) == len(other) == 50
    assert first.digest == again.digest != other.digest


@pytest.mark.slow
def test_the_order_of_classes_does_not_matter(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = (run(f"--data people.csv --target status --classes {c}", capsys)[1] for c in ("bad,good", "good,bad"))
    assert one.digest == two.digest


@pytest.mark.slow
def test_a_published_dataset_takes_the_options_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, data = run("--data iris --classes 1,2 --max-rows 60 --data-seed 3", capsys)
    assert found["dataset"] == "iris"
    assert data.X.shape == (60, 4)
    assert set(np.asarray(data.y).tolist()) == {0, 1}
    assert data.digest != run("--data iris --max-rows 60 --data-seed 3", capsys)[1].digest


@pytest.mark.slow
def test_a_forest_takes_the_categories_of_a_file_unless_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forest = "--param trees=2 --param depth=2 --data people.csv --target status"
    capsys.readouterr()
    shapes = []
    for more in ("", "--categorical drop"):
        assert main(shlex.split(f"run random_forest --trainings 100 --rows 1 --json {forest} {more}")) == 0
        files = json.loads(capsys.readouterr().out)["files"]
        shapes.append(saved(files).pair.base.X.shape[1])
    assert shapes == [6, 1]


BAD = {
    "--target stats": "no column of people.csv is called 'stats'; did you mean 'status'?",
    "--target status --classes good,better": "classes must be labels of people.csv (bad, good, unknown), got",
    "--target status --classes good": "classes must be two different labels or more, as in no,yes, got 'good'",
    "--target status --categorical ordinal": "categorical must be 'one-hot', 'drop' or 'paper', got 'ordinal'",
    "--target status --max-rows 1": "rows must be a whole number of at least 2, got 1",
    "--target status --data-seed -1": "seed must be a whole number of at least 0, got -1",
    "--target income": "people.csv must have classes in 'income', got ",
}


@pytest.mark.parametrize("options", BAD)
def test_what_makes_no_sense_is_told_in_one_sentence(
    options: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(f"{RUN} --data people.csv {options}")) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"mlaudit: {BAD[options]}")
    assert printed.err.count("\n") == 1


LISTED = {
    "mechanisms": ("naive_bayes", "logistic_objective", "logistic_output", "random_forest"),
    "attacks": (
        "clip_bkd",
        "coefficient",
        "influence",
        "lone_flip",
        "loss_threshold",
        "mean_corner",
        "prior_flip",
        "swap_x",
    ),
    "datasets": (
        "adult",
        "banknote",
        "breast_cancer",
        "credit",
        "credit_approval",
        "credit_default",
        "iris",
        "thoracic",
    ),
}


@pytest.mark.parametrize("kind", LISTED)
def test_list_has_a_line_for_each(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", kind]) == 0
    printed = capsys.readouterr()
    lines = {line.split()[0]: line for line in printed.out.splitlines()}
    assert printed.err == ""
    assert set(LISTED[kind]) <= set(lines) == set(shipped(kind))
    for name in LISTED[kind]:
        assert re.fullmatch(rf"  {name} +\S.{{20,}}", lines[name])
