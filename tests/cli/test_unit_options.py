"""`--unit COLUMN` on the command line: every command that changes rows changes all rows of an owner."""

import json
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlaudit import AuditResult, Dataset, Pair, Relation
from mlaudit.cli import main
from mlaudit.datasets import Preparation, load

USERS = Path(__file__).parents[2] / "examples" / "users.py"
DATA = "--data visits.csv --unit user_id --target plan --epsilon 1"
Run = Callable[[str], dict[str, Any]]


def write_visits() -> None:
    """Ten users with four rows each; half of them have the least value in all rows, half the greatest."""
    lines = [f"{60 * (user % 2)},u{user},{('basic', 'pro')[user % 3 == 0]}" for row in range(4) for user in range(10)]
    Path("visits.csv").write_text("\n".join(["minutes,user_id,plan", *lines]) + "\n", encoding="utf-8")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_visits()


@pytest.fixture(scope="module")
def violated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a learner that charges rows instead of users was audited, with its summary in `printed.json`."""
    folder = tmp_path_factory.mktemp("violated")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as printed:
        patch.chdir(folder)
        write_visits()
        # Fails for a correct program with probability < 1e-9: the loss is 4, and its bounds are 3.1 ± 0.3.
        call = f"run {USERS}:mean_per_row {DATA} --rows 1 --trainings 1000 --out a --json --quiet"
        assert main(shlex.split(call)) == 0
    (folder / "printed.json").write_text(printed.getvalue(), encoding="utf-8")
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(command: str) -> dict[str, Any]:
        capsys.readouterr()
        assert main(shlex.split(f"{command} --json --quiet")) in (0, 3)
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return call


def saved(found: dict[str, Any]) -> AuditResult:
    path = next(file for file in found["files"] if file.endswith("result.json"))
    return AuditResult.from_json(Path(path).read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_run_changes_all_rows_of_a_user(violated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(violated)
    found = json.loads(Path("printed.json").read_text(encoding="utf-8"))
    assert found["verdict"] == "violated"
    assert found["claim"] == {
        "epsilon": 1.0,
        "delta": 0.0,
        "relation": "replace-one",
        "unit": "user_id",
        "gaussian": False,
    }
    assert (found["rows"], found["steps"]) == (1, 1)
    assert found["data_card"]["unit"] == "user_id: 10 units, 4 rows each"
    assert {"name": "user_id", "dropped": "names the unit"} in found["data_card"]["columns"]
    result = saved(found)
    changed = (result.pair.base.X != result.pair.neighbour.X).any(axis=1)
    assert len(set(np.asarray(result.pair.base.units)[changed])) == 1
    assert changed.sum() == 4
    said = str(result)
    assert said.startswith("VIOLATED      mean_per_row, claim ε = 1 (replace-one, unit user_id)")
    assert "  unit        user_id: 10 units, 4 rows each" in said
    assert "1 unit (4 rows) of D changed, 1 step under replace-one" in said
    # The script of the witness needs no mlaudit but the example's own import, and asserts the violation.
    script = next(file for file in found["files"] if file.endswith(".py"))
    subprocess.run([sys.executable, script], check=True, capture_output=True)
    assert main(["report", "a"]) == 0
    for name in ("report.html", "report.md"):
        assert "unit user_id" in (Path("a") / name).read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_replay_trains_with_the_units(run: Run, violated: Path) -> None:
    # Fails for a correct program with probability < 1e-9: the loss is 4, and its bounds are 3.1 ± 0.3.
    again = run(f"replay {violated}/a/result.json --mechanism {USERS}:mean_per_row")
    assert (again["verdict"], again["claim"]["unit"]) == ("violated", "user_id")


@pytest.mark.slow
def test_a_learner_that_bounds_contributions_is_not_refuted(run: Run) -> None:
    # Fails for a correct program with probability < 3e-6: α of three tests.
    found = run(f"run {USERS}:mean_per_user {DATA} --trainings 400 --classifier logistic --alpha 1e-6")
    assert found["verdict"] != "violated"
    for options in (DATA, "--unit user_id --unit-rows 3 --bounds 0,1 --epsilon 1"):
        test = run(f"test {USERS}:mean_per_user {options} --effort smoke --alpha 1e-6")
        assert test["verdict"] != "violated"


@pytest.mark.slow
def test_the_number_of_jobs_does_not_matter(run: Run) -> None:
    command = f"run {USERS}:mean_per_row {DATA} --trainings 200 --classifier logistic"
    one, two = (run(f"{command} --jobs {jobs} --out jobs{jobs}") for jobs in (1, 2))
    assert one["epsilon_lower"] == two["epsilon_lower"]
    assert saved(one).pair.neighbour.digest == saved(two).pair.neighbour.digest


@pytest.mark.slow
def test_a_test_crafts_units(run: Run) -> None:
    # Fails for a correct program with probability < 1e-9: the loss on the first crafted data is 3 in 400 trainings.
    found = run(f"test {USERS}:mean_per_row --unit user_id --unit-rows 3 --bounds 0,1 --epsilon 1 --effort smoke")
    assert (found["verdict"], found["claim"]["unit"]) == ("violated", "user_id")
    witness = next(file for file in found["files"] if file.endswith("witness_1.json"))
    pair = AuditResult.from_json(Path(witness).read_text(encoding="utf-8")).pair
    assert pair.steps(Relation.REPLACE_ONE) == 1
    assert set(np.unique(np.asarray(pair.base.units), return_counts=True)[1]) == {3}


@pytest.mark.slow
def test_a_scan_and_a_trace_take_units(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    # Fails for a correct program with probability < 1e-9: the loss is 4.
    found = run(f"scan {USERS}:mean_per_row {DATA}")
    assert (found["verdict"], found["claim"]["unit"]) == ("violated", "user_id")
    assert main(shlex.split(f"scan {USERS}:mean_per_row {DATA} --quiet")) == 0
    assert "more about a unit (user_id) than the claim allows" in capsys.readouterr().out
    traced = run(f"trace {USERS}:mean_per_row {DATA} --no-test")
    assert traced["claim"]["unit"] == "user_id"
    assert traced["transcript_loss"] == pytest.approx(4.0)


@pytest.mark.slow
def test_relations_add_and_remove_whole_units(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"relations {USERS}:mean_per_row {DATA} --trainings 200 --classifier logistic"
    found = run(f"{command} --out r")
    assert {change: one["claim"]["unit"] for change, one in found["results"].items()} == dict.fromkeys(
        ("replace", "add", "remove"), "user_id"
    )
    sizes = {}
    for change in ("replace", "add", "remove"):
        pair = AuditResult.from_json((Path("r") / change / "result.json").read_text(encoding="utf-8")).pair
        sizes[change] = len(pair.neighbour) - len(pair.base)
    assert sizes == {"replace": 0, "add": 4, "remove": -4}
    assert main(shlex.split(f"{command} --out r --quiet")) == 0
    assert "All rows of a unit (user_id) added: add-remove, not claimed" in capsys.readouterr().out


@pytest.mark.slow
def test_a_sweep_takes_the_unit() -> None:
    Path("units.toml").write_text(
        f'title = "units"\n[grid]\nmechanism = "{USERS}:mean_per_row"\ndata = "visits.csv"\nunit = "user_id"\n'
        'epsilon = [1, 2]\nattack = "far_corner"\nrows = 1\ntrainings = 200\nclassifier = "logistic"\n',
        encoding="utf-8",
    )
    assert main(["sweep", "units.toml", "--out", "sweep", "--quiet"]) == 0
    with closing(sqlite3.connect(Path("sweep") / "results.sqlite")) as store:
        rows = store.execute("SELECT * FROM results").fetchall()
    assert len(rows) == 2
    # Once among the settings of the cell, and once in the claim of its result.
    assert all(str(row).count('"unit": "user_id"') >= 2 for row in rows)


@pytest.mark.slow
def test_worst_data_have_four_rows_of_each_unit_unless_the_user_says_otherwise(run: Run) -> None:
    command = (
        f"run {USERS}:mean_per_row --data worst --bounds 0,1 --max-columns 1 --epsilon 1 --trainings 200 --rows 1"
    )
    for options, rows in (("--unit user", 4), ("--unit user --unit-rows 2", 2)):
        base = saved(run(f"{command} {options}")).pair.base
        assert base.unit == "user"
        assert set(np.unique(np.asarray(base.units), return_counts=True)[1]) == {rows}


@pytest.mark.slow
def test_every_row_its_own_user_is_as_without_units(run: Run) -> None:
    lines = Path("visits.csv").read_text(encoding="utf-8").splitlines()
    owned = [lines[0], *(line.replace("u", f"v{at}u", 1) for at, line in enumerate(lines[1:]))]
    Path("own.csv").write_text("\n".join(owned) + "\n", encoding="utf-8")
    options = "--target plan --epsilon 1 --attack far_corner --rows 2 --trainings 200"
    one = saved(run(f"run {USERS}:mean_per_row --data own.csv --unit user_id {options}")).pair
    other = saved(run(f"run {USERS}:mean_per_row --data own.csv --drop user_id {options}")).pair
    assert (one.rows, one.neighbour.X.tolist()) == (other.rows, other.neighbour.X.tolist())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--data visits.csv --unit user", "no column of visits.csv is called 'user'; did you mean 'user_id'?"),
        ("--data visits.csv --unit plan", "--unit must name a column besides the label, got the label column 'plan'"),
        ("--data gaps.csv --unit user_id", "--unit must name the owner of every row, got 1 row without a value in"),
        ("--data visits.csv --unit user_id --columns minutes,user_id", "got 'user_id' in --columns as well"),
        ("--data visits.csv --unit user_id --drop user_id", "got 'user_id' in --drop as well"),
        ("--data visits.csv --unit user_id --max-rows 3", "--max-rows must leave room for one unit, got 3 and units"),
        ("--unit user_id", "--unit names a column of a file, got no --data; leave --unit out"),
        (
            "--data visits.csv --unit user_id --unit-rows 3",
            "--unit-rows works only with --data worst, got other data",
        ),
        ("--data worst --unit user --unit-rows 0", "unit_rows must be a whole number"),
        ("--data worst --unit user --unit-rows 101", "unit_rows must be at most half of the 200 rows"),
        ("--data mine.py:data --unit user_id", "--unit prepare a table, got mine.py:data, a Dataset"),
    ],
)
def test_bad_units_are_one_sentence(options: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("gaps.csv").write_text("minutes,user_id,plan\n1,a,x\n2,,y\n3,b,x\n4,b,y\n", encoding="utf-8")
    Path("mine.py").write_text("from mlaudit import Dataset\ndata = Dataset([0.0, 1.0])\n", encoding="utf-8")
    assert main(shlex.split(f"run {USERS}:mean_per_row --epsilon 1 {options}")) == 2
    assert said in capsys.readouterr().err


def test_canaries_refuse_units(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split("one-run logistic_sgd --data visits.csv --unit user_id")) == 2
    assert "a canary is one record, not all rows of a unit" in capsys.readouterr().err


def test_max_rows_draws_whole_users() -> None:
    data = load("visits.csv", target="plan", preparation=Preparation(rows=31, unit="user_id"))
    assert (len(data), set(np.unique(np.asarray(data.units), return_counts=True)[1])) == (28, {4})
    assert data.card is not None
    assert data.card.rows_dropped == (("not among the 31 drawn (--max-rows)", 12),)


@pytest.mark.slow
def test_a_pair_with_units_from_a_file(run: Run) -> None:
    Path("mine.py").write_text(
        "from mlaudit import Dataset, Pair\n"
        "pair = Pair(*(Dataset([x, x, 0.0], units=['a', 'a', 'b'], unit='user') for x in (0.0, 1.0)))\n",
        encoding="utf-8",
    )
    found = run(f"run {USERS}:mean_per_row --pair mine.py:pair --epsilon 1 --trainings 200")
    assert (found["claim"]["unit"], found["rows"]) == ("user", 1)
    assert isinstance(saved(found).pair, Pair)
    assert isinstance(saved(found).pair.base, Dataset)
