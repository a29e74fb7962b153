"""The progress bar: phases in words, and the rate of fresh trainings only."""

import io
import sys
from typing import Any

import pytest

from mlaudit.cli.terminal import count_trainings, show_status


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_restored_trainings_move_the_bar_but_not_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with count_trainings(1000, show=True) as meter:
        meter.count_restored(900)
        meter(10, 0.1)
        bar: Any = meter.bar
        assert (bar.n, bar.initial, bar.n - bar.initial) == (910, 900, 10)
        meter.count_restored(500)  # shared by several candidates: never beyond the end
        assert bar.n == 1000


def test_the_bar_says_what_is_going_on(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with count_trainings(1000, show=True) as meter:
        meter.start_phase("choosing the pair")
        assert "choosing the pair, starting:" in screen.getvalue()
        meter(5, 0.1)
        assert meter.bar.desc == "choosing the pair: "


@pytest.mark.parametrize(("terminal", "show"), [(False, True), (True, False)])
def test_nothing_is_shown_where_nobody_looks(terminal: bool, show: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    show_status("starting", show=show)
    with count_trainings(1000, show=show) as meter:
        meter.start_phase("trainings")
        meter.count_restored(5)
        meter(5, 0.1)
    assert screen.getvalue() == ""
