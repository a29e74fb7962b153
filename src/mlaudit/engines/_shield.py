"""Ctrl-C is for the process that the user started, not for its workers."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any


@contextmanager
def shielded() -> Iterator[None]:
    """Processes started inside never see Ctrl-C: the parent does, once, and ends them without a traceback each."""
    told = os.environ.get("PYTHONWARNINGS")
    # The process that cleans up behind loky warns when it is left something to do, as it may be after Ctrl-C.
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (told, "ignore:resource_tracker:UserWarning")))
    try:
        if hasattr(signal, "pthread_sigmask"):
            ensure_running()  # unblocks SIGINT when it starts, so it must have started
        with held():
            yield
    finally:
        del os.environ["PYTHONWARNINGS"]
        if told is not None:
            os.environ["PYTHONWARNINGS"] = told


@contextmanager
def held() -> Iterator[None]:
    """A Ctrl-C that comes inside is raised at the end, and processes started inside never see one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[Any] = []
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # A mask is one thread's, and another (of BLAS, say) may get the signal: then it is noted.
    handler = _swapped(lambda *given: came.append(given))
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # last: a held Ctrl-C is raised here
        if came and handler is not None:
            handler(*came[0])


@contextmanager
def before_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """A Ctrl-C that comes inside does this first, before anything is told of it."""

    def first_act(*given: Any) -> None:
        act()
        if handler is not None:
            handler(*given)

    handler = _swapped(first_act)
    try:
        yield
    finally:
        if handler is not None:
            signal.signal(signal.SIGINT, handler)


def _swapped(handler: Callable[..., None]) -> Callable[..., Any] | None:
    """Handle Ctrl-C so; returns who did before, or None where it is not ours to handle."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        return None
    signal.signal(signal.SIGINT, handler)
    return before
