"""Run one call in a fork of this process."""

import ctypes
import faulthandler
import os
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import IO, Any, NoReturn

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.engines._messages import Broken, pack_answer, read, write
from mlaudit.drawing.engines._watch import end_with_fork

_POLL = 0.5  # seconds between two checks whether parent and child are alive
_MOST_SAID = 4000  # characters of a fatal error


def run_in_fork(call: Callable[[], Any]) -> Any:
    """Run the call in a fork; returns its answer, or the `Death` of its process."""
    source, sink = os.pipe()
    with tempfile.TemporaryFile() as last_words:
        parent, child = os.getpid(), os.fork()
        if child == 0:
            os.close(source)
            _run_and_exit(call, parent, sink, last_words)
        os.close(sink)
        try:
            return _await_answer(child, source, last_words)
        finally:
            os.close(source)


def _run_and_exit(call: Callable[[], Any], parent: int, sink: int, last_words: IO[bytes]) -> NoReturn:
    """Run the call in the fork and exit: code after the fork must not run a second time."""
    try:
        end_with_fork(parent)
        faulthandler.enable(last_words)
        try:
            answer = pack_answer(call(), raised=False)
        except BaseException as error:  # noqa: BLE001 - raised again by who asked
            answer = pack_answer(error, raised=True)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        write(sink, answer)
    finally:
        os._exit(0)


def _await_answer(child: int, source: int, last_words: IO[bytes]) -> Any:
    """Wait for the answer or the end of the fork; processes of the learner may keep the pipe open after it."""
    parent, ended = os.getppid(), None
    while ended is None and not select.select([source], [], [], _POLL)[0]:
        if os.getppid() != parent:
            os.kill(child, signal.SIGKILL)
            os._exit(1)
        ended = _exit_code(child, os.WNOHANG)
    try:
        answer = read(source) if ended is None or select.select([source], [], [], 0)[0] else None
    except Broken:
        answer = None
    ended = _exit_code(child, 0) if ended is None else ended
    if answer is not None:
        return answer
    last_words.seek(0)
    return Death(ended or 0, last_words.read(_MOST_SAID).decode(errors="replace"))


def _exit_code(child: int, how: int) -> int | None:
    """The exit code of the fork, negative for a signal; None while it lives."""
    pid, status = os.waitpid(child, how)
    return os.waitstatus_to_exitcode(status) if pid else None


def await_request(source: int, parent: int) -> None:
    """Wait until there is something to read; exits if the parent ends. A thread would not survive a fork."""
    while not select.select([source], [], [], _POLL)[0]:
        if os.getppid() != parent:
            os._exit(1)


def prepare() -> None:
    """Load libraries once, before the first fork."""
    if sys.platform == "linux":
        ctypes.CDLL(None)
