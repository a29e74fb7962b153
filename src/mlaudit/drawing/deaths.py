"""How a process ended that returned no result."""

import signal
from dataclasses import dataclass

KILLED, LEFT = "killed its process ", "left its process "
# Signals from the machine or the user: out of memory, a shutdown, Ctrl-C. They say nothing about the learner.
_FROM_OUTSIDE = frozenset({"SIGKILL", "SIGTERM", "SIGHUP", "SIGINT"})


@dataclass(frozen=True)
class Death:
    """The end of a process: its exit code, negative for a signal, and its last error message."""

    code: int
    said: str = ""

    @property
    def from_outside(self) -> bool:
        """Whether something else than the training ended the process; the training is then repeated.

        >>> Death(-9).from_outside, Death(-11).from_outside
        (True, False)
        """
        return self._signal in _FROM_OUTSIDE

    @property
    def kind(self) -> str:
        """The kind of output that the audit records.

        >>> Death(-11).kind, Death(3).kind
        ('killed its process (SIGSEGV)', 'left its process (exit code 3)')
        """
        return f"{KILLED}({self._signal})" if self.code < 0 else f"{LEFT}(exit code {self.code})"

    @property
    def _signal(self) -> str:
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


class DiedElsewhere(Exception):
    """Raised for a training that ended the program it ran in; this process goes on."""

    def __init__(self, death: Death) -> None:
        super().__init__(death.kind)
        self.death = death


class Lost:
    """Returned by a worker if a result was lost by no fault of the training; the item is repeated."""
