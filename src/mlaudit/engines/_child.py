"""The program of a child process that does trainings for this one; `_children` starts it and talks to it.

It takes requests from its standard input, one at a time, and ends when that is closed or its parent has gone. An
`alone` child stays free of threads and does no training itself, so that it can be forked for each of them.
"""

import os
import pickle
from dataclasses import dataclass
from typing import Any

from mlaudit.engines import _fork
from mlaudit.engines._careful import Apart, carefully
from mlaudit.engines._messages import Broken, packed, read, write
from mlaudit.engines._watch import end_with
from mlaudit.threads import one_thread


@dataclass(frozen=True)
class Request:
    """A packed task to open, or an item of the task that was opened last."""

    payload: bytes = b""
    item: Any = None


@dataclass(frozen=True)
class CannotOpen:
    """A packed task needs a module that this process cannot import."""

    module: str
    reason: str


def main(parent: int, *, alone: bool) -> None:
    """Answer requests until there are no more."""
    source, sink = _pipes()
    _no_core_files()
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
                    task, answer = _opened(request.payload)
                else:
                    answer = _done(task, request.item, alone=alone)
                write(sink, answer)
            except Broken:
                return


def _opened(payload: bytes) -> tuple[Any, bytes]:
    try:
        return pickle.loads(payload), packed(None, raised=False)  # noqa: S301 - packed by the process that asks
    except (ImportError, AttributeError) as error:
        return None, packed(CannotOpen(str(getattr(error, "name", "") or ""), str(error)), raised=False)
    except Exception as error:  # noqa: BLE001 - raised again by who asked
        return None, packed(error, raised=True)


def _done(task: Any, item: Any, *, alone: bool) -> bytes:
    try:
        value = carefully(task, item, _apart()) if alone else task(item)
    except BaseException as error:  # noqa: BLE001 - raised again by who asked
        return packed(error, raised=True)
    return packed(value, raised=False)


def _apart() -> Apart:
    """A fork where there are forks, else a fresh interpreter."""
    if hasattr(os, "fork"):
        return _fork.forked
    from mlaudit.engines._children import fresh  # noqa: PLC0415 - it starts this program

    return fresh


def _pipes() -> tuple[int, int]:
    """Ours, out of the way of a learner that reads or prints: it reads nothing, and prints where errors go."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
    return source, sink


def _no_core_files() -> None:
    """A learner that crashes in every training would fill the disk."""
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
