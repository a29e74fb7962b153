"""What a test suite leaves behind: JUnit properties, and with --privacy-results a folder for each claim."""

import json
import os
import warnings
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pytest
from numpy.random import Generator

from mlaudit import Dataset, Pair
from mlaudit.report.outcomes import read_outcomes
from mlaudit.testing import assert_private
from mlaudit.testing.record import RunningTest, collect_claims

pytest_plugins = ["pytester"]

SUITE = """
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.testing import assert_private


def test_laplace():
    assert_private(Laplace(0.25), epsilon=0.5, trainings=200, flake_rate=1e-6)
"""
PAIR = Pair(Dataset([0.0, 0.0]), Dataset([1.0, 0.0]))


@dataclass(frozen=True)
class Counting:
    """A mechanism that writes a sign for each training."""

    calls: Path

    def __call__(self, data: Dataset, rng: Generator) -> float:
        with self.calls.open("a", encoding="utf-8") as file:
            file.write("x")
        return float(data.X.sum() + rng.laplace(scale=4.0))


@pytest.mark.slow
def test_junit_properties_and_results(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    # Fails for a correct program with probability < 1e-6: the flake rate.
    pytester.makepyfile(test_mine=SUITE)
    pytester.runpytest_subprocess("--junitxml=junit.xml", "--privacy-results=kept").assert_outcomes(passed=1)
    properties = {one.get("name"): one.get("value") for one in ET.parse(pytester.path / "junit.xml").iter("property")}
    assert properties["privacy_claim"] == "ε = 0.5 (replace-one)"
    assert properties["privacy_verdict"] == "not_refuted"
    assert float(properties["privacy_bound"] or "nan") < 0.5
    assert int(properties["privacy_trainings"] or "0") > 0
    assert float(properties["privacy_detects"] or "nan") > 0.5
    assert float(properties["privacy_flake_rate"] or "nan") == pytest.approx(1e-6)

    monkeypatch.chdir(pytester.path)
    (found,) = read_outcomes(pytester.path / "kept")
    assert found.title == "laplace, claim ε = 0.5 (replace-one)"
    assert [(one.role, one.file, one.line) for one in found.locations] == [("test", "test_mine.py", 5)]


@pytest.mark.slow
def test_draws_are_kept_for_who_has_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restored cache is used if the key has come with it; else everything is drawn again."""
    drawn = []
    for key in ("mine", "mine", "another"):
        monkeypatch.setenv("MLAUDIT_KEY", str(tmp_path / key))
        counted = Counting(tmp_path / "calls")
        counted.calls.touch()
        # Fails for a correct program with probability < 3e-6: the flake rate, three times.
        with collect_claims(RunningTest([], "test_it", __file__, 1, tmp_path / "kept")), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # who continues a stranger's folder is told
            assert_private(counted, PAIR, epsilon=0.5, trainings=200, flake_rate=1e-6)
        drawn.append(len(counted.calls.read_text(encoding="utf-8")))
        counted.calls.unlink()
    assert drawn[1] < drawn[0] / 4
    assert drawn[2] == drawn[0]


def test_names_of_folders_are_kept_apart() -> None:
    folders = [RunningTest([], name, results=Path("kept")).folder for name in ("t[a/b]", "t[a-b]", "t" * 300)]
    assert len(set(folders)) == 3
    assert all(folder is not None and len(folder.name) < 100 and os.sep not in folder.name for folder in folders)
    after = RunningTest([("privacy", json.dumps({}))], "t", results=Path("kept")).folder
    assert after is not None
    assert after.name.endswith("-2")
