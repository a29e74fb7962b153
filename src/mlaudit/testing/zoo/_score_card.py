"""How many of the broken are caught, how soon, and how many of the healthy are accused."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from statistics import median

from mlaudit.protocols import Engine
from mlaudit.statistics.binomial import lower_limit, upper_limit
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._visits import Seen, Visit, audit_once


@dataclass(frozen=True)
class Score:
    """What the audits of one exhibit showed, of its broken mechanism and of its healthy one."""

    name: str
    exhibit: Exhibit
    broken: tuple[Seen, ...]
    healthy: tuple[Seen, ...]

    def share_detected(self, trainings: int) -> float:
        """The share of seeds whose audit refuted the broken one's claim within so many trainings."""
        return sum((seen.refuted_after or inf) <= trainings for seen in self.broken) / len(self.broken)

    @property
    def median_trainings(self) -> float | None:
        """To the verdict; None where most audits came to none."""
        after = median(seen.refuted_after or inf for seen in self.broken)
        return None if after == inf else after

    @property
    def median_seconds(self) -> float:
        """Of CPU time that an audit of the broken one took, until its verdict or the end of its budget."""
        return median(seen.seconds for seen in self.broken)

    @property
    def false_alarms(self) -> int:
        """Audits of the healthy one that refuted its claim."""
        return sum(seen.refuted_after is not None for seen in self.healthy)


@dataclass(frozen=True)
class ScoreCard:
    """All exhibits, audited with budgets of trainings at a one-sided error alpha."""

    scores: tuple[Score, ...]
    trainings: tuple[int, ...]
    alpha: float

    @property
    def false_alarms(self) -> int:
        """Of all healthy ones together."""
        return sum(score.false_alarms for score in self.scores)

    @property
    def audits(self) -> int:
        """Of healthy ones."""
        return sum(len(score.healthy) for score in self.scores)

    @property
    def false_alarm_rate(self) -> tuple[float, float]:
        """A 95 % confidence interval (Clopper-Pearson)."""
        low, high = (
            lower_limit(self.false_alarms, self.audits, 0.025),
            upper_limit(self.false_alarms, self.audits, 0.025),
        )
        return float(low), float(high)


def score_card(
    exhibits: dict[str, Exhibit],
    *,
    seeds: int,
    trainings: Sequence[int],
    alpha: float,
    seed: int,
    engine: Engine,
    progress: Callable[[], None] = lambda: None,
) -> ScoreCard:
    """Audit every mechanism of the exhibits with so many seeds each: once, with the largest budget.

    The verdict of an e-process may be read at any time, so that one audit tells what every smaller budget would have.
    """
    parts = [(name, broken) for name, e in exhibits.items() for broken in (True, False) if e.broken or not broken]
    visits = [Visit(name, broken, repeat) for repeat in range(seeds) for name, broken in parts]
    found: dict[tuple[str, bool], list[Seen]] = {part: [] for part in parts}
    for seen in engine.map_unordered(partial(audit_once, max(trainings), alpha, seed), visits):
        found[seen.visit.name, seen.visit.broken].append(seen)
        progress()
    scores = [
        Score(name, exhibit, *(_in_order(found.get((name, broken), [])) for broken in (True, False)))
        for name, exhibit in exhibits.items()
    ]
    return ScoreCard(tuple(scores), tuple(trainings), alpha)


def _in_order(found: list[Seen]) -> tuple[Seen, ...]:
    return tuple(sorted(found, key=lambda seen: seen.visit.repeat))
