"""mlaudit zoo: the score card is the same for any number of workers, and bad input is told in a sentence."""

import json
import shlex
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from typing import Any

import pytest

from mlaudit.cli import main

SMALL = "zoo --only classes_from_data,laplace_half_scale,sparse_vector_lyu --seeds 2 --trainings 150,100"
HALF = "zoo --only laplace_half_scale --seeds 3 --trainings 300 --json"


@cache
def card(call: str) -> Any:
    """The score card as data; several tests read the same one."""
    with redirect_stdout(StringIO()) as printed:
        assert main(shlex.split(call)) == 0
    found = json.loads(printed.getvalue())
    for exhibit in found["exhibits"]:
        exhibit.pop("median_seconds", None)  # the only thing that may differ
    return found


@pytest.mark.slow
def test_the_same_card_for_any_number_of_workers() -> None:
    few = SMALL.replace("--seeds 2 --trainings 150,100", "--seeds 1 --trainings 100")
    assert card(f"{few} --json") == card(f"{few} --json --jobs 2")
    # Fails for a correct program with probability < 1e-6: three numbers are the same with 0.5 % each (80 audits).
    assert card(HALF) != card(f"{HALF} --seed 1")


@pytest.mark.slow
def test_what_the_card_says() -> None:
    found = card(f"{SMALL} --json")
    classes, half, right = found["exhibits"]
    assert found["trainings"] == [100, 150]
    assert classes["true_epsilon"] is None
    # Fails for a correct program with probability < 1e-9: a leak of everything is found in some 30 trainings.
    assert classes["detected"] == {"100": 1.0, "150": 1.0}
    assert len(classes["refuted_after"]) == 2
    assert half["claim"] == {"epsilon": 1.0, "delta": 0.0, "relation": "replace-one"}
    assert half["on_pair"] == half["true_epsilon"] == 2.0
    assert "detected" not in right
    assert found["audits_of_healthy"] == 6
    assert found["false_alarm_rate"]["lower"] <= found["false_alarms"] / 6 <= found["false_alarm_rate"]["upper"]


@pytest.mark.slow
def test_a_smaller_budget_is_the_beginning_of_a_larger_one() -> None:
    long, short = card(HALF), card(HALF.replace("300", "150"))
    for more, less in zip(long["exhibits"], short["exhibits"], strict=True):
        cut = [after if after is not None and after <= 150 else None for after in more["refuted_after"]]
        assert less["refuted_after"] == cut


@pytest.mark.slow
def test_the_table_is_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(SMALL.replace("--seeds 2 --trainings 150", "--seeds 1 --trainings 120"))) == 0
    over, *table, _, alarms, rate, legend = capsys.readouterr().out.splitlines()
    assert over.strip() == "caught within so many trainings"
    assert len({len(line) for line in table}) == 1
    assert [line.split()[0] for line in table] == [
        "exhibit",
        "classes_from_data",
        "laplace_half_scale",
        "sparse_vector_lyu",
    ]
    assert "∞" in table[1]
    assert alarms.startswith("False alarms: ")
    assert "α is 5 %" in rate
    assert legend.startswith("median: ")


def test_exhibits_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "exhibits"]) == 0
    assert "laplace_half_scale" in capsys.readouterr().out
    assert main(["list"]) == 0
    assert "laplace_half_scale" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--only laplace_half", "no exhibit is called 'laplace_half'; did you mean 'laplace_half_scale'"),
        ("--only ''", "--only must be at least one name, as in a,b, got ''"),
        ("--only mlaudit:Claim", "must be an Exhibit, got type"),
        ("--seeds 0", "seeds must be a whole number of at least 1, got 0"),
        ("--seeds many", "invalid int value: 'many'"),
        ("--trainings 50", "trainings must be a whole number of at least 100, got 50"),
        ("--trainings 0,100", "trainings must be a whole number of at least 1, got 0"),
        ("--trainings 100;300", "--trainings must be whole numbers separated by commas, got '100;300'"),
        ("--alpha 1", "alpha must be a number in (0, 1), got 1.0"),
        ("--seed -1", "seed must be a whole number of at least 0, got -1"),
        ("--jobs 0", "jobs must be a whole number of at least 1, got 0"),
    ],
)
def test_bad_input(options: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["zoo", *shlex.split(options)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("mlaudit: ")
    assert printed.err.count("\n") == 1
    assert words in printed.err
