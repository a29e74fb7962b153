"""`mlaudit relations` spends one α on each relation, however many audits the relation takes."""

import json
from pathlib import Path

import pytest

from mlaudit.cli import main

MINE = """
def private(data, rng):
    return (2 * data.X - 1).sum() + rng.laplace()
"""
CALL = ["relations", "mine.py:private", "--epsilon", "1", "--data", "rows.csv", "--attack", "far_corner"]
FAST = ["--trainings", "200", "--quiet", "--procedure", "two_phase", "--classifier", "logistic"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("x,label\n0,a\n1,b\n0,b\n1,a\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_adding_and_removing_a_row_share_alpha(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, *FAST, "--alpha", "0.08", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = {change: result["alpha"] for change, result in said["results"].items()}
    assert found == {"replace": 0.08, "add": 0.04, "remove": 0.04}
    assert said["alpha"] == 0.08
    assert said["audits_sharing_alpha"] == {"replace-one": 1, "add-remove": 2}


@pytest.mark.slow
def test_the_text_says_so(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, *FAST]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.endswith(
        "Each relation was audited at 95 % confidence; the two audits of add-remove share it, 97.5 % each."
    )


def test_a_procedure_that_does_not_stop_early_is_asked_for_nothing(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--beyond` is the sequential procedure's own, and only there a default."""
    assert main([*CALL, *FAST, "--beyond", "3"]) == 2
    assert "does not stop early, got --beyond 3" in capsys.readouterr().err


@pytest.mark.parametrize("alpha", ["0", "1", "3", "nan"])
def test_alpha_is_checked_before_it_is_shared(alpha: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*CALL, *FAST, "--alpha", alpha]) == 2
    assert f"got {float(alpha)}" in capsys.readouterr().err
