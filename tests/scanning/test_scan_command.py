"""`mlaudit scan`: a table, one JSON object, exit codes, and one sentence for whatever is typed wrongly."""

import json
import shlex
from pathlib import Path

import pytest

from mlaudit.cli import main

TOY = """
from mlaudit import Claim, Dataset, Pair

data = Dataset([[0.1], [0.4], [0.9], [0.5]])


def counts(data, rng):
    return {"sum": float(data.X.sum() + rng.laplace()), "rows": len(data)}


def raises(data, rng):
    raise OverflowError("too much")
"""


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.chdir(tmp_path)


# The number of rows leaks without fail; the noisy sum is ε-DP and is accused with α at most.
SCAN = "scan toy.py:counts --data toy.py:data --epsilon 1 --pilot 20 --trainings 150 --alpha 1e-6"


# Fails for a correct program with probability < 1e-6: the noisy sum is accused, too.
@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(f"{SCAN} --relation add-remove")) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("VIOLATED      counts, claim ε = 1 (add-remove)\nLower bound: ε ≥ ")
    assert "public" in printed


# Fails for a correct program with probability < 1e-6: the noisy sum is accused.
@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_one_object_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(f"{SCAN} --json --fail-on-violation")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["claim"]["relation"] == "replace-one"
    assert found["verdict"] == "not_refuted"
    rows = [row for row in found["rows"] if row["attribute"] == "output['rows']"]
    assert {(row["relation"], row["verdict"]) for row in rows} == {("add-remove", "not_claimed")}


@pytest.mark.slow
@pytest.mark.usefixtures("toy")
def test_a_violation_ends_with_3_when_asked_for() -> None:
    assert main(shlex.split(f"{SCAN} --relation add-remove --fail-on-violation")) == 3


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("scan toy.py:counts --epsilon 1", "give --data"),
        ("scan toy.py:counts --data toy.py:data", "give --epsilon"),
        ("scan toy.py:nothing --data toy.py:data --epsilon 1", "no object of toy.py is called 'nothing'"),
        ("scan laplcae --data toy.py:data --epsilon 1", "did you mean 'laplace'?"),
        (f"{SCAN} --relation both", "no relation is called 'both'"),
        (SCAN.replace("--pilot 20", "--pilot 3"), "pilot must be a whole number of at least 10, got 3"),
        (SCAN.replace("--trainings 150", "--trainings 9"), "trainings must be a whole number of at least 100, got 9"),
        (f"{SCAN} --alpha 2", "alpha must be a number in (0, 1), got 2.0"),
        (f"{SCAN} --seed -1", "seed must be a whole number"),
        (f"{SCAN} --jobs 0", "jobs must be a whole number of at least 1, got 0"),
        (f"{SCAN} --attack swap_x", "scan has no option --attack"),
        (SCAN.replace("counts", "raises"), "all of 20 trainings on D raised; the first of them: too much"),
    ],
)
def test_bad_input_is_one_sentence(command: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(command)) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert words in told.err
    assert len(told.err.splitlines()) == 1
