"""The progress bar on stderr, and what the trainings cost."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm


@dataclass
class Meter:
    """Counts trainings on a bar, and CPU seconds here and in the worker processes."""

    bar: "tqdm[Any]"
    began: float = field(default_factory=time.process_time)
    drawing: float = 0.0

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        """So many trainings more; those that several candidates share are counted once."""
        self.drawing += cpu_seconds
        self.bar.update(trainings if self.bar.total is None else min(trainings, self.bar.total - self.bar.n))

    @property
    def cpu_seconds(self) -> float:
        """What it has cost so far, all processes together."""
        return time.process_time() - self.began + self.drawing


@contextmanager
def progress_bar(total: int | None, *, show: bool) -> Iterator[Meter]:
    """Shows rate and time left (where the total is known) on a terminal, and nothing where stderr is a file."""
    hidden = not show or not sys.stderr.isatty()
    bar: tqdm[Any]
    with tqdm(total=total, unit=" trainings", disable=hidden, dynamic_ncols=True, leave=False) as bar:
        yield Meter(bar)
