"""How a sweep goes on, on stderr: cells, the latest of them, and the time left."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlaudit.cli.terminal import open_bar
from mlaudit.sweep.jobs import Job
from mlaudit.types.numbers import bound, duration

if TYPE_CHECKING:
    from tqdm import tqdm

_FORMAT = "{n_fmt}/{total_fmt} cells {bar} {elapsed}, {desc}"


@dataclass
class SweepMeter:
    """Counts cells; the time left is what cells of the same learner and data took, over the workers."""

    bar: "tqdm[Any]"
    workers: int = 1
    left: Counter[str] = field(default_factory=Counter)
    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    latest: str = ""
    drawn: int = 0

    def start(self, jobs: Sequence[Job], workers: int) -> None:
        """These are left to do."""
        self.workers = workers
        self.left = Counter(_sort_of(job) for job in jobs)
        self.bar.reset(total=len(jobs))

    def count_trainings(self, trainings: int, cpu_seconds: float) -> None:
        """Part of a long cell."""
        self.drawn += trainings
        self.bar.set_description_str(f"{self._spell_time_left()}; {self.drawn} trainings of the next; {self.latest}")

    def finish(self, job: Job, values: Mapping[str, Any], cpu_seconds: float) -> None:
        """A cell is there."""
        sort = _sort_of(job)
        self.left[sort] -= 1
        self.spent[sort].append(cpu_seconds)
        self.drawn = 0
        self.latest = f"{_spell_settings(job)}: {_spell_outcome(values)}"
        self.bar.set_description_str(f"{self._spell_time_left()}; {self.latest}", refresh=False)
        self.bar.update()

    def _spell_time_left(self) -> str:
        """Unknown learners are taken for the mean of the known ones."""
        seconds = seconds_left(
            self.left,
            {sort: sum(times) / len(times) for sort, times in self.spent.items()},
        )
        return "time left unknown" if seconds is None else f"about {duration(seconds / self.workers)} left"


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
def count_cells(*, show: bool) -> Iterator[SweepMeter]:
    """A bar that counts cells; yields what a sweep tells its progress."""
    with open_bar(0, show=show, bar_format=_FORMAT) as bar:
        yield SweepMeter(bar)


def _sort_of(job: Job) -> str:
    return f"{job.kind} {job.settings.get('mechanism')} {job.settings.get('data')} {job.measurement.trainings}"


def _spell_settings(job: Job) -> str:
    settings = job.settings
    wanted = ("mechanism", "data", "attack", "epsilon", "interval", "n")
    return " ".join(str(settings[name]) for name in wanted if name in settings)


def _spell_outcome(values: Mapping[str, Any]) -> str:
    if "error" in values:
        return "refused"
    return bound(values["epsilon_lower"], values["claim"]["epsilon"]) if "epsilon_lower" in values else "done"
