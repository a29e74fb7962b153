"""Processes that end with the process that started them, however that one ends."""

import ctypes
import os
import signal
import sys
import threading
import time

_EVERY = 0.5  # seconds between two looks at the parent
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>


def end_with(parent: int) -> None:
    """Watch the parent from a thread: a killed parent tells nobody, and a worker would wait for work for minutes."""
    threading.Thread(target=_watch, args=(parent,), name="mlaudit-watch", daemon=True).start()


def end_with_the_forking(parent: int) -> None:
    """For a process that was just forked: the kernel ends it where it can, also in the middle of C code."""
    if sys.platform != "linux":
        end_with(parent)
        return
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before it could be asked for
        os._exit(1)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os._exit(1)
