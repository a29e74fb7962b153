"""One call in a process of its own, forked from this one."""

import ctypes
import faulthandler
import os
import select
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import IO, Any, NoReturn

from mlaudit.deaths import Death
from mlaudit.engines._messages import Broken, packed, read, write
from mlaudit.engines._watch import end_with_the_forking

_LOOK = 0.5  # seconds between two looks at who is still there
_MOST_SAID = 4000  # characters of a fatal error


def forked(call: Callable[[], Any]) -> Any:
    """What the call returned or raised, or the `Death` of its process."""
    source, sink = os.pipe()
    with tempfile.TemporaryFile() as last_words:
        parent, child = os.getpid(), os.fork()
        if child == 0:
            os.close(source)
            _do(call, parent, sink, last_words)
        os.close(sink)
        try:
            return _answer(child, source, last_words)
        finally:
            os.close(source)


def _do(call: Callable[[], Any], parent: int, sink: int, last_words: IO[bytes]) -> NoReturn:
    """In the fork: nothing of what runs after the call may run here a second time."""
    try:
        end_with_the_forking(parent)
        faulthandler.enable(last_words)
        try:
            answer = packed(call(), raised=False)
        except BaseException as error:  # noqa: BLE001 - raised again by who asked
            answer = packed(error, raised=True)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        write(sink, answer)
    finally:
        os._exit(0)


def _answer(child: int, source: int, last_words: IO[bytes]) -> Any:
    """Wait for either; a learner's own processes may hold the pipe open for longer than it lives."""
    parent, ended = os.getppid(), None
    while ended is None and not select.select([source], [], [], _LOOK)[0]:
        if os.getppid() != parent:
            os.kill(child, signal.SIGKILL)
            os._exit(1)
        ended = _ended(child, os.WNOHANG)
    try:
        answer = read(source) if ended is None or select.select([source], [], [], 0)[0] else None
    except Broken:
        answer = None
    ended = _ended(child, 0) if ended is None else ended
    if answer is not None:
        return answer
    last_words.seek(0)
    return Death(ended or 0, last_words.read(_MOST_SAID).decode(errors="replace"))


def _ended(child: int, how: int) -> int | None:
    """Its exit code, negative for a signal; None while it lives."""
    pid, status = os.waitpid(child, how)
    return os.waitstatus_to_exitcode(status) if pid else None


def await_request(source: int, parent: int) -> None:
    """Until there is something to read; ends this process with its parent, without a thread, which forks lose."""
    while not select.select([source], [], [], _LOOK)[0]:
        if os.getppid() != parent:
            os._exit(1)


def prepare() -> None:
    """Once, before the first fork: what is loaded now need not be loaded in each."""
    if sys.platform == "linux":
        ctypes.CDLL(None)
