"""A command ends with what it has to say, whatever the code that it runs does to its process."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from mlaudit.errors import LearnerFailed

_MOMENT = 0.05  # seconds


@contextmanager
def refuse_silent_exit() -> Iterator[None]:
    """A user's module, imported here, may call `os._exit`: that must not look like a command that is done."""
    leave, command = os._exit, os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() == command:
            sys.stderr.write(
                f"mlaudit: the code called os._exit({status}), which ended the command; remove that call\n"
            )
            sys.stderr.flush()
            leave(LearnerFailed.exit_code)
        leave(status)  # a fork of this process may end as it likes

    os._exit = refuse
    try:
        yield
    finally:
        os._exit = leave


@contextmanager
def repeat_lost_interrupt() -> Iterator[None]:
    """A Ctrl-C in a destructor, or in a callback of a weak reference, is raised again a moment later.

    Nothing can be raised there: Python prints the traceback and goes on as if nobody had pressed anything. Importing
    calls such a callback for every module, so that it happens while a command starts.
    """
    tell, main = sys.unraisablehook, threading.main_thread().ident

    def tell_others(lost: "sys.UnraisableHookArgs") -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt) or main is None or not hasattr(signal, "pthread_kill"):
            tell(lost)
            return
        again = threading.Timer(_MOMENT, signal.pthread_kill, (main, signal.SIGINT))
        again.daemon = True
        again.start()

    sys.unraisablehook = tell_others
    try:
        yield
    finally:
        sys.unraisablehook = tell
