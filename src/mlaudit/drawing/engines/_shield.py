"""Ctrl-C reaches the process that the user started, not its workers."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any


@contextmanager
def shield_processes() -> Iterator[None]:
    """Keep Ctrl-C from processes started inside: the parent receives it and ends them without tracebacks."""
    told = os.environ.get("PYTHONWARNINGS")
    # The process that cleans up behind loky warns when it is left something to do, as it may be after Ctrl-C.
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (told, "ignore:resource_tracker:UserWarning")))
    try:
        if hasattr(signal, "pthread_sigmask"):
            ensure_running()  # unblocks SIGINT when it starts, so it must have started
        with hold_interrupts():
            yield
    finally:
        del os.environ["PYTHONWARNINGS"]
        if told is not None:
            os.environ["PYTHONWARNINGS"] = told


@contextmanager
def hold_interrupts() -> Iterator[None]:
    """Raise a Ctrl-C that comes inside only at the end; processes started inside never receive one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[Any] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # A mask is one thread's, and another (of BLAS, say) may get the signal: then it is noted.
    handler = _swap_handler(lambda *given: came.append(given))
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # last: a held Ctrl-C is raised here
        if came and handler is not None:
            handler(*came[0])


@contextmanager
def act_before_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Call `act` first if Ctrl-C comes inside, then the usual handler."""

    def first_act(*given: Any) -> None:
        act()
        if handler is not None:
            handler(*given)

    handler = _swap_handler(first_act)
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def _swap_handler(handler: Callable[..., None]) -> Callable[..., Any] | None:
    """Set the handler of Ctrl-C; returns the previous one, or None if this thread cannot set it."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        return None
    signal.signal(signal.SIGINT, handler)
    return before
