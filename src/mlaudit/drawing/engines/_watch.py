"""End a process when its parent ends, however that happens."""

import ctypes
import os
import signal
import sys
import threading
import time

_EVERY = 0.5  # seconds between two checks of the parent
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>


def end_with(parent: int) -> None:
    """End this process when the parent has ended; a thread checks it. Otherwise a worker would wait for minutes."""
    threading.Thread(target=_watch, args=(parent,), name="mlaudit-watch", daemon=True).start()


def end_with_fork(parent: int) -> None:
    """End a fork with its parent: on Linux the kernel does it, also in the middle of C code."""
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
