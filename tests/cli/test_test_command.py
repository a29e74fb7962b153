"""`mlaudit test`: its exit codes, its files, and which question it answers."""

import json
import shlex
from pathlib import Path

import pytest

from mlaudit import ClaimTest
from mlaudit.cli import main

TOY = """
from mlaudit import Dataset

data = Dataset([0.0, 1.0, 0.0, 1.0])


def exact(data, rng):
    return data.X.sum()


def noisy(data, rng):
    return data.X.sum() + rng.laplace()
"""
EXACT = "test toy.py:exact --epsilon 1 --effort smoke --backend in_process --bounds 0,1 --quiet"


@pytest.fixture(autouse=True)
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy.py").write_text(TOY)
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
def test_a_violation_ends_with_3_and_leaves_a_witness(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(shlex.split(f"{EXACT} --out out")) == 3
    printed = capsys.readouterr().out
    assert printed.startswith("VIOLATED      exact, claim ε = 1 (replace-one)\nLower bound: ε ≥ ")
    assert "1. output[0]: ε ≥ " in printed
    assert "not run     last_bits: not asked for" in printed
    saved = (tmp_path / "out" / "result.json").read_text(encoding="utf-8")
    assert ClaimTest.from_json(saved).violated
    assert json.loads(saved)["command"].startswith("mlaudit test toy.py:exact --epsilon 1")
    witness = tmp_path / "out" / "witness_1.json"
    assert main(shlex.split(f"replay {witness} --mechanism toy.py:exact --out again --fail-on-violation")) == 3


@pytest.mark.slow
def test_one_object_for_machines_and_exit_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(f"{EXACT} --json --exit-zero")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "violated"
    assert [one["detector"] for one in found["detectors"]] == ["trace_noise"]
    assert found["findings"][0]["cause"]
    assert found["findings"][0]["lines"][0]["kind"] == "bypass"
    assert found["trace"]["suspects"][0]["proved"]
    assert {one["detector"] for one in found["not_run"]} >= {"scan_object", "last_bits"}


@pytest.mark.slow
def test_a_claim_that_is_kept_ends_with_0() -> None:
    # Fails for a correct program with probability < 1e-6: alpha.
    assert main(shlex.split("test laplace --effort smoke --alpha 1e-6 --quiet")) == 0


@pytest.mark.slow
def test_a_claim_that_is_too_large_to_refute_ends_with_6_when_asked_for() -> None:
    too_few = "test laplace --epsilon 20 --trainings 100 --alpha 1e-6 --quiet --fail-on-inconclusive"
    assert main(shlex.split(too_few)) == 6


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("test toy.py:noisy --epsilon 1", "give data or bounds"),
        ("test laplace --effort much", "no effort is called 'much'"),
        ("test laplace --data worst", "name a dataset or a file"),
        ("test laplace --seconds 0", "seconds must be above 0"),
        ("test toy.py:noisy", "give --epsilon"),
    ],
)
def test_bad_input_ends_with_2(line: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(shlex.split(line)) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "own", "other"),
    [
        ("test", "Does the claim hold for all data?", "`mlaudit run` answers the other question"),
        ("run", "How much does the learner leak on my data?", "`mlaudit test` answers the other question"),
    ],
)
def test_each_help_says_which_question_it_answers(
    command: str, own: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert own in said
    assert other in said
