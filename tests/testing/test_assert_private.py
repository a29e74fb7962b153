"""assert_private(): fails on broken promises with a witness, passes on kept ones, and behaves in a test suite."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair
from mlaudit.auditing.repetition import REPEATED_AT
from mlaudit.cli import main
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.testing import PrivacyViolation, assert_private

pytest_plugins = ["pytester"]

ROWS = [0.0, 1.0, 0.0, 1.0, 1.0]
PAIR = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))
ALONE = ["-p", "no:hypothesispytest"]  # which takes a second to load
SUITE = """
import pytest
from mlaudit import Dataset, Pair
from mlaudit.mechanisms.laplace import Laplace

PAIR = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))
kept = Laplace(1.0)  # trained without a process of its own, which takes a second to start


def broken(data, rng):
    return data.X.sum() + rng.laplace(scale=0.1)


def test_kept(assert_private):
    assert_private(kept, PAIR, epsilon=2.0, trainings=400)


@pytest.mark.privacy(trainings=300, flake_rate=1e-6)
def test_broken(assert_private):
    assert_private(broken, PAIR, epsilon=1.0)


@pytest.mark.privacy(trainings=100)
def test_too_few():
    from mlaudit.testing import assert_private
    assert_private(kept, PAIR, epsilon=8.0, trainings=100)


def test_something_else():
    pass
"""


def noisy_sum(data: Dataset, rng: Generator) -> float:
    return float(data.X.sum() + rng.laplace())


def noisy_sum_for_half(data: Dataset, rng: Generator) -> float:
    """As if a replaced row were one added or removed, from -1 to 1."""
    return float((2 * data.X - 1).sum() + rng.laplace())


def exact_size(data: Dataset, rng: Generator) -> list[float]:
    return [len(data), data.X.sum() + rng.laplace()]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.slow
def test_a_kept_promise_passes(relation: str) -> None:
    # Fails for a correct program with probability < 2e-8: at half the claim even the square of the wealth shrinks, so
    # that it reaches 500 with probability 4e-6 at most (Ville), and again 40 in one of two attempts with 2 / 1600.
    result = assert_private(noisy_sum, ROWS, epsilon=2.0, relation=relation, trainings=200)
    assert result.verdict == "not_refuted"
    assert sum({one.detector: one.alpha for one in result.attempts}.values()) <= result.alpha * (1 + 1e-9)


@pytest.mark.parametrize(
    ("flake_rate", "alpha"), [(1e-6, 2e-5), (1e-4, 2e-3), (0.01, 0.05), (0.05, 0.05), (0.2, 0.2)]
)
def test_a_first_bound_and_its_repetition_share_the_flake_rate(flake_rate: float, alpha: float) -> None:
    # The true ε is 0.01: no hundred trainings could refute 8.
    result = assert_private(Laplace(0.01), PAIR, epsilon=8.0, trainings=100, flake_rate=flake_rate)
    assert result.alpha == pytest.approx(alpha)
    assert result.alpha * REPEATED_AT <= flake_rate * (1 + 1e-9), "both must err for a correct learner to fail"
    assert result.alpha <= max(REPEATED_AT, flake_rate), "the bound that is stated holds with 95 % confidence"


@pytest.mark.slow
def test_a_broken_one_fails_and_says_all(tmp_path: Path) -> None:
    # Fails for a correct program with probability < 1e-9: 440 ± 160 trainings of 4000 are enough.
    with pytest.raises(PrivacyViolation) as failure:
        assert_private(noisy_sum_for_half, ROWS, epsilon=1.0, trainings=4000, witness=tmp_path / "deep" / "w.json")
    said = str(failure.value)
    assert "Lower bound: ε ≥ 1." in said
    assert "guesses" in said
    assert re.search(r"row \d: \[(0\], became \[1|1\], became \[0)\]", said)
    assert f"mlaudit replay {tmp_path / 'deep' / 'w.json'} --mechanism FILE:noisy_sum_for_half" in said
    assert json.loads((tmp_path / "deep" / "w.json").read_text(encoding="utf-8"))["verdict"] == "violated"
    assert failure.value.result.epsilon_lower > 1.0


@pytest.mark.slow
def test_the_size_shows_under_add_remove_and_not_under_replace_one(tmp_path: Path) -> None:
    # Fails for a correct program with probability < 1e-6: the flake rate; an exact size is found at once.
    assert assert_private(exact_size, ROWS, epsilon=1.0, trainings=200, flake_rate=1e-6).verdict == "not_refuted"
    with pytest.raises(PrivacyViolation, match=r"row . was (added|removed)"):
        assert_private(exact_size, ROWS, epsilon=1.0, relation="add-remove", witness=tmp_path / "w.json")


@pytest.mark.slow
def test_rows_with_labels_and_mechanisms_with_a_claim() -> None:
    X, y = np.array([[0.0], [1.0], [0.5], [0.2]]), np.array([0, 1, 0, 1])
    # Fails for a correct program with probability < 2e-6: the flake rates.
    assert not assert_private(noisy_sum, (X, y), epsilon=1.0, trainings=100, flake_rate=1e-6).violated
    assert assert_private(Laplace(2.0), trainings=200, flake_rate=1e-6).claim == Claim(2.0)
    with pytest.raises(InvalidInput, match="give epsilon= as well"):
        assert_private(Laplace(2.0), delta=0.1)


@pytest.mark.slow
def test_a_witness_that_cannot_be_written_does_not_hide_a_violation(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(PrivacyViolation, match="could not be written"):
        assert_private(exact_size, ROWS, epsilon=1.0, relation="add-remove", witness=tmp_path / "file" / "w.json")


@pytest.mark.slow
def test_time_runs_out_without_a_verdict_against_anybody() -> None:
    # Fails for a correct program with probability < 1e-6: the flake rate.
    result = assert_private(noisy_sum, ROWS, epsilon=1.0, trainings=400, seconds=0.01, flake_rate=1e-6)
    assert not result.violated
    assert any("time limit" in one.why for one in result.skipped)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"learner": noisy_sum}, "give epsilon="),
        ({"learner": noisy_sum, "epsilon": 1.0, "relation": "swap"}, "no relation is called 'swap'"),
        ({"learner": noisy_sum, "epsilon": 1.0, "seconds": 0.0}, "seconds must be above 0"),
        ({"learner": noisy_sum, "epsilon": 1.0, "flake_rate": 0.0}, "flake_rate must be a number in"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        assert_private(data=ROWS, **arguments)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_same_seed_the_same_verdict() -> None:
    # Fails for a correct program with probability < 1e-8: half the claim, as above.
    found = [assert_private(noisy_sum, PAIR, epsilon=2.0, trainings=200, seed=5) for _ in range(2)]
    assert found[0].epsilon_lower == found[1].epsilon_lower


@pytest.mark.slow
@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["alone", "xdist"])
def test_in_a_suite(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str], workers: list[str]) -> None:
    pytester.makepyfile(test_mine=SUITE)
    # Fails for a correct program with probability < 2e-8: half the claim, as above; ten times it is found at once.
    ran = pytester.runpytest_subprocess(*ALONE, "--strict-markers", "--color=yes", *workers)
    ran.assert_outcomes(passed=3, failed=1)
    said = re.sub(r"\x1b\[[0-9;]*m", "", ran.stdout.str())
    for wanted in (
        r"with 99\.998 % confidence",
        r"  row 0: \[0\], became \[1\]",
        r"Witness: .*test_mine\.py-test_broken\.json",
        r"VIOLATED      test_mine\.py::test_broken: broken, claim ε = 1 \(replace-one\), bound 1\.\d+ \(99\.998 %\)",
        r"NOT REFUTED   test_mine\.py::test_kept: laplace, claim ε = 2 \(replace-one\), bound \S+ \(99\.8 %\)",
        r"detects [23]\.\d+, 400 trainings",
        r"Flake rate of this run: at most 0\.000201, the sum over 3 audited claims\.",
    ):
        assert re.search(wanted, said), wanted
    assert "\x1b[33mINCONCLUSIVE  test_mine.py::test_too_few: laplace" in ran.stdout.str(), "in yellow"
    assert "def assert_private(" not in said, "no source of ours"
    assert "testing/private.py" not in said
    witness = pytester.path / "mlaudit-witnesses" / "test_mine.py-test_broken.json"
    assert witness.exists()
    if workers:
        return  # the same witness
    capsys.readouterr()
    assert main(["replay", str(witness), "--mechanism", "test_mine.py:broken", "--out", "again"]) == 0
    assert re.search("^VIOLATED ", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.slow
def test_deselected(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=SUITE)
    pytester.runpytest_subprocess(*ALONE, "-m", "not privacy").assert_outcomes(passed=1, deselected=3)


@pytest.mark.slow
def test_a_run_without_claims_has_no_summary_and_errors_are_one_sentence(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=SUITE.replace("epsilon=2.0", "epsilon=-2.0"))
    ran = pytester.runpytest_subprocess(*ALONE, "-k", "kept or else")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(["E *InvalidInput: epsilon must be a number in (0, inf), got -2.0"])
    ran.stdout.no_fnmatch_line("*= privacy =*")
    ran.stdout.no_fnmatch_line("*Flake rate*")
    ran.stdout.no_fnmatch_line("*checks.py*")


@pytest.mark.slow
def test_limits_for_a_whole_suite_and_wrong_markers(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=SUITE.replace("trainings=300", "trainings=300, budget=3"))
    ran = pytester.runpytest_subprocess(*ALONE, "--privacy-trainings", "100", "--privacy-seconds", "30")
    # Fails for a correct program with probability < 1e-8: half the claim, as above.
    ran.assert_outcomes(passed=3, errors=1)
    ran.stdout.fnmatch_lines(
        ["*the marker privacy takes flake_rate, trainings, seconds, seed by name, got ?'budget'?"]
    )
