"""`--relation label-only` and `--relation zero-out` on the command line."""

import json
import shlex
from pathlib import Path

import pytest

from mlaudit.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "relations.py"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_run_under_label_only_relabels_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """The learner's own attacks would move rows."""
    command = "run naive_bayes --data iris --relation label-only --rows 1 --trainings 200 --json --quiet"
    assert main(shlex.split(command)) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["claim"]["relation"] == "label-only"
    assert found["steps"] == 1


def test_a_named_attack_is_zeroed_under_zero_out(capsys: pytest.CaptureFixture[str]) -> None:
    command = (
        "run naive_bayes --data iris --relation zero-out --attack prior_flip --rows 2 --trainings 200 --json --quiet"
    )
    assert main(shlex.split(command)) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["attack"] == "prior_flip, zeroed"
    assert found["steps"] == 2


@pytest.mark.slow
def test_relations_audits_what_is_claimed_first(capsys: pytest.CaptureFixture[str]) -> None:
    command = f"relations {EXAMPLES}:ClippedSum --data worst --max-rows 8 --max-columns 1 --trainings 300 --quiet"
    assert main(shlex.split(command)) == 0
    said = capsys.readouterr().out
    assert said.index("A row zeroed: zero-out, claimed") < said.index("A row replaced: replace-one, not claimed")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("run laplace --relation label-only", "under label-only both datasets need the same features, got other"),
        ("run laplace --relation label", "no relation is called 'label'; did you mean 'label-only'?"),
        ("run naive_bayes --data iris --relation label-only --change add", "under label-only only labels differ"),
        (
            "run naive_bayes --data iris --relation label-only --attack far_corner --rows 1",
            "under label-only an attack changes labels, got far_corner, which keeps some",
        ),
        (
            "run naive_bayes --data worst --bounds 5,6 --relation zero-out",
            "zero-out needs a domain that contains the row of zeros",
        ),
        ("run naive_bayes --data iris --change turn", "change"),
    ],
)
def test_bad_input_is_one_sentence(command: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(f"{command} --quiet")) == 2
    out, err = capsys.readouterr()
    assert not out
    assert said in err
    assert len(err.strip().splitlines()) == 1
