"""Programs that run and wait for work, one list for each process: starting one may take a second."""

import atexit
import os
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from numpy.random import SeedSequence

from mlaudit.adapters.programs.process import ProgramProcess
from mlaudit.adapters.programs.protocol import PATIENCE, SLOTS, Facts, write_data, write_draw
from mlaudit.naming.describe import describe
from mlaudit.types.dataset import Dataset

_MOST_IDLE = 4
_GRACE = 1.0  # seconds in which programs may leave by themselves when this process ends


@dataclass(frozen=True)
class Launch:
    """How a program is started: equal launches may use each other's processes."""

    words: tuple[str, ...]
    folder: str
    hello: bytes
    patience: float = PATIENCE


@dataclass(eq=False)
class Running:
    """A program that has said hello, and the datasets that it holds."""

    launch: Launch
    process: ProgramProcess
    facts: Facts = field(default_factory=Facts)
    fresh: bool = True  # nothing was asked of it yet
    _slots: "OrderedDict[str, int]" = field(default_factory=OrderedDict)

    @property
    def patience(self) -> float:
        """The seconds without a line after which it hangs."""
        return self.launch.patience if self.facts.patience is None else self.facts.patience

    def ask(self, data: Dataset, seeds: Sequence[SeedSequence]) -> None:
        """Ask for an output for each seed; a dataset is sent once, and again if eight others came in between."""
        key = data.digest + repr(describe(data.domain))
        message = b""
        if key in self._slots:
            self._slots.move_to_end(key)
        else:
            slot = len(self._slots) if len(self._slots) < SLOTS else self._slots.popitem(last=False)[1]
            self._slots[key] = slot
            message = write_data(slot, data)
        self.fresh = False
        self.process.send(message + write_draw(self._slots[key], seeds), self.patience)


def take_idle(launch: Launch) -> Running | None:
    """An idle program that was started in this way, if one lives."""
    idle = _idle()
    for at in reversed(range(len(idle))):
        if idle[at].launch == launch:
            running = idle.pop(at)
            if running.process.alive:
                return running
            running.process.end()
    return None


def keep_idle(running: Running) -> None:
    """Keep a program for the next request; the one that waits longest is ended if there are too many."""
    idle = _idle()
    idle.append(running)
    if len(idle) > _MOST_IDLE:
        idle.pop(0).process.end()


def _idle() -> list[Running]:
    return _idle_of(os.getpid())  # a fork must not speak with the programs of its parent


@lru_cache(maxsize=1)
def _idle_of(pid: int) -> list[Running]:  # noqa: ARG001 - what they are kept by
    idle: list[Running] = []
    atexit.register(_end_all, idle)
    return idle


def _end_all(idle: list[Running]) -> None:
    """End all idle programs: they see the end of their input, and have a moment to leave."""
    until = time.monotonic() + _GRACE
    mine = [running for running in idle if running.process.owner == os.getpid()]
    for running in mine:
        running.process.close_input()
    for running in mine:
        running.process.end(max(0.0, until - time.monotonic()))
