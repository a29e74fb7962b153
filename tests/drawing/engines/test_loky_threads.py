"""loky's thread says nothing when a command is interrupted."""

import threading

import pytest
from joblib.externals.loky import get_reusable_executor

from mlaudit.drawing.engines.loky import end_workers, silence_thread


def fail() -> None:
    raise KeyError(26)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("silent", [True, False])
def test_a_silent_thread_ends_without_a_traceback(silent: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    thread = threading.Thread(target=fail)
    if silent:
        silence_thread(thread)
    thread.start()
    thread.join()
    assert bool(told) is not silent


@pytest.mark.slow
def test_the_thread_of_ended_workers_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    executor = get_reusable_executor(max_workers=1)
    assert executor.submit(abs, -1).result() == 1
    thread = executor._executor_manager_thread
    end_workers()
    thread._invoke_excepthook(thread)
    executor.shutdown(kill_workers=True)
    assert told == []
