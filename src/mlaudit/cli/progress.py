"""The progress bar on stderr, and what the trainings cost."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

from mlaudit.cli.status import clear_status


@dataclass
class Meter:
    """Counts trainings on a bar, and CPU seconds here and in the worker processes."""

    bar: "tqdm[Any]"
    began: float = field(default_factory=time.process_time)
    drawing: float = 0.0
    words: str = ""
    alive: bool = False  # whether a training has come back

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """So many trainings more; those that several candidates share are counted once."""
        self.drawing += cpu_seconds
        if trainings and not self.alive:
            self.alive = True
            self.phase(self.words)
        self.bar.update(self._counted(trainings))

    def restored(self, trainings: int) -> None:
        """So many were in the store: the bar moves on, and its rate stays that of fresh trainings."""
        if self.bar.disable or not trainings:
            return
        counted = self._counted(trainings)
        self.bar.n += counted
        self.bar.initial += counted
        self.bar.last_print_n += counted
        self.bar.refresh()

    def phase(self, words: str) -> None:
        """What is going on; processes take seconds to start, in which nothing else would be seen."""
        self.words = words
        self.bar.set_description(words if self.alive else f"{words}, starting")

    def _counted(self, trainings: int) -> int:
        return trainings if self.bar.total is None else min(trainings, int(self.bar.total - self.bar.n))

    @property
    def cpu_seconds(self) -> float:
        """What it has cost so far, all processes together."""
        return time.process_time() - self.began + self.drawing


@contextmanager
def progress_bar(total: int | None, *, show: bool) -> Iterator[Meter]:
    """Shows rate and time left (where the total is known) on a terminal, and nothing where stderr is a file."""
    hidden = not show or not sys.stderr.isatty()
    if not hidden:
        clear_status()
    bar: tqdm[Any]
    with tqdm(total=total, unit=" trainings", disable=hidden, dynamic_ncols=True, leave=False) as bar:
        yield Meter(bar)
