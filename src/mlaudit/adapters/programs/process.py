"""One running program: lines go to its standard input and come from its standard output.

The program may die, hang, print other things or print without end. Nothing here waits for longer than it was told to,
and no more is kept of an output than is asked for.
"""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.engines._shield import hold_interrupts

LONGEST_LINE = 1 << 26  # bytes
_MOST_UNREAD = 1 << 27  # bytes of complete lines that nobody has asked for
_CHUNK = 1 << 16
_TAIL = 4000  # bytes of standard error that are kept
_POLL = 0.5  # seconds between two checks whether the process lives
_LEAVE = 5.0  # seconds in which a process that has closed its output must end
_CLOCK_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
# Becomes the program. The kernel ends it with the process that started it, also in the middle of a computation, and
# a crash leaves no core file. A function between fork and exec would do the same, but not beside threads.
_LAUNCHER = """
import ctypes, os, resource, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() != int(sys.argv[1]):
    os._exit(1)
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
os.execvp(sys.argv[2], sys.argv[2:])
"""


class Ended(Exception):
    """The program has ended, or has closed its standard output."""


class Silent(Exception):
    """The program has printed no line for too long."""


class Flooded(Exception):
    """The program prints more than it was asked for."""


class ProgramProcess:
    """A program that runs, with pipes to its standard streams.

    Args:
        words: The program and its arguments.
        folder: Its working directory.

    Raises:
        OSError: If it cannot be started.
    """

    def __init__(self, words: tuple[str, ...], folder: str) -> None:
        launcher = (sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid())) if sys.platform == "linux" else ()
        pipe = subprocess.PIPE
        with hold_interrupts():
            self._popen = subprocess.Popen(  # noqa: S603 - the program that the user named, without a shell
                [*launcher, *words],
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                cwd=folder,
                env=_ONE_THREAD | os.environ,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for the command alone; all of the program can be ended at once
            )
        self.owner = os.getpid()
        self._fds = [self._fd(stream) for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr)]
        self._selector = selectors.DefaultSelector()
        for fd in self._fds:
            os.set_blocking(fd, False)
        for fd in self._fds[1:]:
            self._selector.register(fd, selectors.EVENT_READ)
        self._lines: deque[bytes] = deque()
        self._unread = 0
        self._partial: list[bytes] = []
        self._partial_size = 0
        self._said = b""
        self._open = {self._fds[1]: True, self._fds[2]: True}

    @staticmethod
    def _fd(stream: object) -> int:
        return stream.fileno()  # type: ignore[attr-defined, no-any-return]  # all three are pipes

    @property
    def alive(self) -> bool:
        """Whether the process still runs, and belongs to this process and not to the one that it was forked from."""
        return self.owner == os.getpid() and self._popen.poll() is None

    def send(self, message: bytes, patience: float) -> None:
        """Write all of the message; what the program prints meanwhile is read, so that neither waits for the other.

        Raises:
            Ended: If the program does not read any more because it has ended.
            Silent: If it reads nothing for `patience` seconds.
            Flooded: If it prints without end.
        """
        left, source = memoryview(message), self._fds[0]
        deadline = time.monotonic() + patience
        while left:
            try:
                written = os.write(source, left)
            except BlockingIOError:
                self._wait_to_write(source, deadline)
                continue
            except OSError as error:
                raise Ended from error
            left = left[written:]
            deadline = time.monotonic() + patience

    def _wait_to_write(self, source: int, deadline: float) -> None:
        self._selector.register(source, selectors.EVENT_WRITE)
        try:
            self._pump(_POLL)
        finally:
            self._selector.unregister(source)
        if time.monotonic() > deadline:
            raise Silent

    def read_line(self, patience: float) -> bytes:
        """The next line that the program prints.

        Raises:
            Ended: If there is none because the program has ended or closed its output.
            Silent: If there is none for `patience` seconds.
            Flooded: If the line is too long, or if there are far too many lines.
        """
        deadline = time.monotonic() + patience
        while not self._lines:
            if not self._open[self._fds[1]]:
                raise Ended
            late = time.monotonic() >= deadline
            ended = self._popen.poll() is not None
            # Looks once more after the end, and after the time: the line may have come in between.
            if not self._pump(0.0 if late or ended else _POLL) and not self._lines:
                if ended:
                    raise Ended  # another process of the program may keep the pipe open
                if late:
                    raise Silent
        line = self._lines.popleft()
        self._unread -= len(line)
        return line

    def _pump(self, seconds: float) -> bool:
        """Read what there is, after waiting for it; whether anything was read."""
        found = False
        for key, mask in self._selector.select(seconds):
            if mask & selectors.EVENT_READ:
                found = True
                self._read(key.fd)
        return found

    def _read(self, fd: int) -> None:
        try:
            part = os.read(fd, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._selector.unregister(fd)
            self._open[fd] = False
        elif fd == self._fds[2]:
            self._said = (self._said + part)[-_TAIL:]
        else:
            self._split(part)

    def _split(self, part: bytes) -> None:
        *lines, rest = part.split(b"\n")
        if lines:
            lines[0] = b"".join([*self._partial, lines[0]])
            self._partial, self._partial_size = [], 0
            self._lines.extend(lines)
            self._unread += sum(map(len, lines))
        if rest:
            self._partial.append(rest)
            self._partial_size += len(rest)
        if self._partial_size > LONGEST_LINE or self._unread > _MOST_UNREAD:
            raise Flooded

    def await_death(self) -> Death | None:
        """How the program ended, with its last lines; None if it goes on although its output is closed."""
        try:
            code = self._popen.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            return None
        return Death(code, self.last_lines())

    def last_lines(self) -> str:
        """The end of what the program has printed to standard error."""
        with suppress(Flooded, ValueError):
            while self._open[self._fds[2]] and self._pump(0.0):
                pass
        return self._said.decode(errors="replace").strip()

    def cpu_seconds(self) -> float:
        """The CPU seconds of the process and its ended children so far, where the system tells them."""
        try:
            stat = Path(f"/proc/{self._popen.pid}/stat").read_bytes()
        except OSError:
            return 0.0
        return sum(map(int, stat.rpartition(b")")[2].split()[11:15])) / _CLOCK_TICKS

    def close_input(self) -> None:
        """Close its standard input: the program should end by itself."""
        if self._popen.stdin is not None:
            with suppress(OSError):
                self._popen.stdin.close()

    def end(self, grace: float = 0.0) -> None:
        """End the program and all processes of its session; it has `grace` seconds to leave by itself."""
        if self.owner != os.getpid():
            return
        with hold_interrupts():
            self.close_input()
            if grace:
                with suppress(subprocess.TimeoutExpired):
                    self._popen.wait(grace)
            if self._popen.returncode is None:  # else its number may be another process's by now
                with suppress(OSError):
                    os.killpg(self._popen.pid, signal.SIGKILL)
                self._popen.kill()
                self._popen.wait()
            self._selector.close()
            for pipe in (self._popen.stdout, self._popen.stderr):
                if pipe is not None:
                    pipe.close()
