"""What a learner warns of is told once by a command."""

import warnings

import pytest

import mlaudit.cli
from mlaudit.cli import main


def test_the_same_warning_of_two_learners_is_told_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warn(*_: object) -> int:
        for text in ("secure mode is off", "secure mode is off", "few rows"):
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.warn(text, stacklevel=1)
        return 0

    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # main sets it; this puts it back
    monkeypatch.setattr(mlaudit.cli, "_run_command", warn)
    for _ in range(2):  # another command tells it again
        assert main(["list"]) == 0
        assert capsys.readouterr().err == "mlaudit: secure mode is off\nmlaudit: few rows\n"
