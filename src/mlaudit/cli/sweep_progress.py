"""How a sweep goes on, on stderr: cells, the latest of them, and the time left."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tqdm import tqdm

from mlaudit.cli.status import clear_status
from mlaudit.report.numbers import bound
from mlaudit.sweeps.orders import Order

_FORMAT = "{n_fmt}/{total_fmt} cells {bar} {elapsed}, {desc}"


@dataclass
class SweepMeter:
    """Counts cells; the time left is what cells of the same learner and data took, over the workers."""

    bar: "tqdm[Any]"
    jobs: int = 1
    left: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    latest: str = ""
    drawn: int = 0

    def started(self, orders: Sequence[Order], jobs: int) -> None:
        """These are left to do."""
        self.jobs = jobs
        for order in orders:
            self.left[_sort(order)].append(order.cell.place)
        self.bar.reset(total=len(orders))

    def trained(self, trainings: int, cpu_seconds: float) -> None:
        """Part of a long cell."""
        self.drawn += trainings
        self.bar.set_description_str(f"{self._eta()}; {self.drawn} trainings of the next; {self.latest}")

    def measured(self, order: Order, values: Mapping[str, Any], cpu_seconds: float) -> None:
        """A cell is there."""
        sort = _sort(order)
        self.left[sort].pop()
        self.spent[sort].append(cpu_seconds)
        self.drawn = 0
        self.latest = f"{_short(order)}: {_outcome(values)}"
        self.bar.set_description_str(f"{self._eta()}; {self.latest}", refresh=False)
        self.bar.update()

    def _eta(self) -> str:
        """Unknown learners are taken for the mean of the known ones."""
        seconds = seconds_left(
            {sort: len(places) for sort, places in self.left.items()},
            {sort: sum(times) / len(times) for sort, times in self.spent.items()},
        )
        return "time left unknown" if seconds is None else f"about {duration(seconds / self.jobs)} left"


def seconds_left(left: Mapping[str, int], mean: Mapping[str, float]) -> float | None:
    """CPU seconds for the cells that are left.

    >>> seconds_left({"a": 2, "b": 1}, {"a": 3.0})
    9.0
    """
    if not mean:
        return None
    usual = sum(mean.values()) / len(mean)
    return sum(count * mean.get(sort, usual) for sort, count in left.items())


@contextmanager
def sweep_bar(*, show: bool) -> Iterator[SweepMeter]:
    """Nothing where stderr is a file."""
    hidden = not show or not sys.stderr.isatty()
    if not hidden:
        clear_status()
    bar: tqdm[Any]
    with tqdm(total=0, disable=hidden, dynamic_ncols=True, leave=False, bar_format=_FORMAT) as bar:
        yield SweepMeter(bar)


def _sort(order: Order) -> str:
    settings = order.cell.settings
    return f"{order.cell.kind} {settings.get('mechanism')} {settings.get('data')} {order.job.trainings}"


def _short(order: Order) -> str:
    settings = order.cell.settings
    wanted = ("mechanism", "data", "attack", "epsilon", "interval", "n")
    return " ".join(str(settings[name]) for name in wanted if name in settings)


def _outcome(values: Mapping[str, Any]) -> str:
    if "error" in values:
        return "refused"
    return bound(values["epsilon_lower"], None) if "epsilon_lower" in values else "done"


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(40), duration(400), duration(40000)
    ('40 s', '7 min', '11.1 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
