"""The program of a child process that runs trainings; `_children` starts it and sends it requests.

The child reads requests from its standard input, one at a time. It ends when the input is closed or its parent has
ended. An `alone` child starts no threads and runs no training itself, so that it can be forked for each training.
"""

import os
import pickle
from dataclasses import dataclass
from typing import Any

from mlaudit.drawing.engines import _fork
from mlaudit.drawing.engines._careful import Apart, run_apart
from mlaudit.drawing.engines._messages import Broken, pack_answer, read, write
from mlaudit.drawing.engines._watch import end_with
from mlaudit.drawing.threads import one_thread


@dataclass(frozen=True)
class Request:
    """A packed task to open, or an item of the task that was opened last."""

    payload: bytes = b""
    item: Any = None


@dataclass(frozen=True)
class CannotOpen:
    """The answer to a packed task that needs a module which this process cannot import."""

    module: str
    reason: str


def main(parent: int, *, alone: bool) -> None:
    """Answer requests until the input is closed."""
    source, sink = _move_pipes()
    _forbid_core_files()
    if alone:
        _fork.prepare()
    else:
        end_with(parent)
    task: Any = None
    with one_thread():
        while True:
            try:
                if alone:
                    _fork.await_request(source, parent)
                request: Request = read(source)
                if request.payload:
                    task, answer = _open_task(request.payload)
                else:
                    answer = _do_item(task, request.item, alone=alone)
                write(sink, answer)
            except Broken:
                return


def _open_task(payload: bytes) -> tuple[Any, bytes]:
    try:
        return pickle.loads(payload), pack_answer(None, raised=False)  # noqa: S301 - packed by the process that asks
    except (ImportError, AttributeError) as error:
        return None, pack_answer(CannotOpen(str(getattr(error, "name", "") or ""), str(error)), raised=False)
    except Exception as error:  # noqa: BLE001 - raised again by who asked
        return None, pack_answer(error, raised=True)


def _do_item(task: Any, item: Any, *, alone: bool) -> bytes:
    try:
        value = run_apart(task, item, _choose_apart()) if alone else task(item)
    except BaseException as error:  # noqa: BLE001 - raised again by who asked
        return pack_answer(error, raised=True)
    return pack_answer(value, raised=False)


def _choose_apart() -> Apart:
    """Choose a fork if the system has forks, else a fresh interpreter."""
    if hasattr(os, "fork"):
        return _fork.run_in_fork
    from mlaudit.drawing.engines._children import run_in_fresh_process  # noqa: PLC0415 - it starts this program

    return run_in_fresh_process


def _move_pipes() -> tuple[int, int]:
    """Move the pipes out of the learner's reach: it reads nothing, and prints to standard error."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
    return source, sink


def _forbid_core_files() -> None:
    """Forbid core files: a learner that crashes in every training would fill the disk."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
