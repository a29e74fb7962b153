"""A small process that outlives this process by a moment and ends the processes that a kill leaves behind.

Ray's own processes notice the end of their driver after half a minute, if at all.
"""

import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from mlaudit.drawing.engines._shield import hold_interrupts

_EVERY = 0.5  # seconds between two lists of processes
_PROGRAM = "import sys; sys.path[:] = {path!r}; from mlaudit.drawing.engines._reaper import main; main({mark!r})"


def start(mark: str) -> "subprocess.Popen[bytes]":
    """Start a process that kills all processes with `mark` in their environment, and their children, after this one.

    Close its `stdin` when all of them have ended by themselves.
    """
    program = _PROGRAM.format(path=sys.path, mark=mark)
    with hold_interrupts():
        return subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE)  # noqa: S603 - this interpreter


def main(mark: str) -> None:
    """List the marked processes until standard input is closed, then kill those that are left."""
    seen: dict[int, str] = {}
    while True:
        over = select.select([0], [], [], _EVERY)[0]
        seen |= _find_marked(mark, seen)
        if over:
            break
    for pid, began in seen.items():
        if _began_and_parent(pid)[0] == began:  # else another process has that number now
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def _find_marked(mark: str, seen: dict[int, str]) -> dict[int, str]:
    """Find the marked processes and their descendants, each with its start time.

    A process that sets its own title hides its environment, but not its parent.
    """
    table = {int(path.name): _began_and_parent(int(path.name)) for path in Path("/proc").glob("[0-9]*")}
    found = {pid for pid, (began, _) in table.items() if seen.get(pid) == began or mark in _environment(pid)}
    more = found
    while more:
        more = {pid for pid, (_, parent) in table.items() if parent in more and pid not in found}
        found |= more
    return {pid: table[pid][0] for pid in found - seen.keys() - {os.getpid()}}


def _began_and_parent(pid: int) -> tuple[str, int]:
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:  # it has just ended
        return "", 0
    return words[19], int(words[1])


def _environment(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/environ").read_text(encoding="utf-8", errors="replace")
    except OSError:  # somebody else's, or it has just ended
        return ""
