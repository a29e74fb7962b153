"""Ctrl-C is for the process that the user started, not for its workers."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running


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
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)  # last: a held Ctrl-C is raised here
