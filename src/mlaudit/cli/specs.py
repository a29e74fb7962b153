"""The options of commands other than `run`: what they share with an audit is inherited from its spec."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlaudit.auditing.options import argument, flag, inherit, option
from mlaudit.auditing.spec import HOW, AuditSpec, LearnerSpec
from mlaudit.naming.plugins import shipped
from mlaudit.refuting.effort import EFFORTS

WHERE = "where trainings run (same seed, same numbers, wherever)"


@dataclass(frozen=True)
class EngineSpec:
    """Where trainings run. No number depends on it, so that it is no part of any identity."""

    jobs: int = option(1, "worker processes", "J", group=WHERE)
    backend: str = option(
        "loky", f"{', '.join(shipped('engines'))} or your own", "NAME", group=WHERE, plugin="engines"
    )
    address: str = option("", "a running cluster of dask (tcp://HOST:PORT) or ray (HOST:PORT)", "A", group=WHERE)


@dataclass(frozen=True)
class RelationsSpec(AuditSpec):
    """`mlaudit relations`: an audit for each way to change a row."""

    change: str = inherit(AuditSpec, "change", "", "not to be given: every way is tried")
    rows: tuple[int, ...] = inherit(AuditSpec, "rows", (1,))
    procedure: str = inherit(AuditSpec, "procedure", "sequential")


@dataclass(frozen=True)
class ScanSpec(LearnerSpec):
    """`mlaudit scan`."""

    pilot: int = option(40, "trainings of each dataset that find suspects", "N", group=HOW)
    trainings: int = inherit(AuditSpec, "trainings", 400, "fresh ones for each suspect, at most")
    isolate: bool = inherit(AuditSpec, "isolate")


@dataclass(frozen=True)
class TraceSpec(LearnerSpec):
    """`mlaudit trace`."""

    pair: str | None = inherit(AuditSpec, "pair")
    rounds: int = option(4, "transcripts of each suspected pair, two trainings each", "N", group=HOW)
    trainings: int = inherit(AuditSpec, "trainings", 2000, "of the statistical test of each suspected pair, at most")
    no_test: bool = flag("name suspects only, without a statistical test", group=HOW)


@dataclass(frozen=True)
class RefuteSpec(LearnerSpec):
    """`mlaudit test`."""

    data: str | None = inherit(
        LearnerSpec, "data", None, "your own data to try as well, by name or as a file; all other data are crafted"
    )
    bounds: tuple[float, float] | None = inherit(
        AuditSpec,
        "bounds",
        None,
        "where crafted data lie, for learners that declare no domain",
    )
    outside_domain: str | None = inherit(
        AuditSpec,
        "outside_domain",
        None,
        "try rows outside the domain, too, which the learner promises to clip: finite, or any (NaN, ±inf, -0.0)",
    )
    effort: str = option(
        "ci", "smoke (about 1 s beside the fits), ci or nightly", "HOW", group=HOW, words=tuple(EFFORTS)
    )
    trainings: int | None = inherit(AuditSpec, "trainings", None, "of each detector, instead of the effort's")
    seconds: float | None = option(None, "no detector starts after S seconds (default: by effort)", "S", group=HOW)
    all: bool = flag("go on after a violation, without the part of the output that reveals it", group=HOW)
    last_bits: bool = flag("look at the last bits of floating-point outputs, too", group=HOW)
    isolate: bool = inherit(AuditSpec, "isolate")


@dataclass(frozen=True)
class TrainerSpec(LearnerSpec):
    """A trainer in place of a mechanism."""

    mechanism: str = argument("name, pkg.module:object or my_file.py:object", "trainer", plugin="trainers")


@dataclass(frozen=True)
class OneRunSpec(TrainerSpec):
    """`mlaudit one-run`."""

    canaries: int = option(1000, "how many there are", "M", group=HOW)
    share_in: float = option(0.1, "of them guessed in", "S", group=HOW)
    share_out: float = option(0.1, "of them guessed out", "S", group=HOW)


@dataclass(frozen=True)
class WhiteBoxSpec(TrainerSpec):
    """`mlaudit white-box`."""

    trainings: int = inherit(AuditSpec, "trainings", 200, "how many are watched")


@dataclass(frozen=True)
class ReplaySpec:
    """`mlaudit replay`."""

    result: str = argument("a result.json")
    mechanism: str | None = option(
        None, "needed when the result is about your own code", "FILE:OBJECT|CMD", group=HOW, plugin="mechanisms"
    )
    interval: str | None = inherit(AuditSpec, "interval", None, "needed when the interval is your own")
    param: Mapping[str, Any] = option({}, "a mechanism's parameter", "NAME=VALUE", group=HOW)
    trainings: int | None = inherit(AuditSpec, "trainings", None, "default: as many as the result's")
    seed: int | None = inherit(AuditSpec, "seed", None, "default: the result's seed plus 1")
    isolate: bool = inherit(AuditSpec, "isolate")


@dataclass(frozen=True)
class ZooSpec:
    """`mlaudit zoo`."""

    only: tuple[str, ...] | None = option(
        None, "these exhibits (default: all)", "NAME[,NAME]", group=HOW, plugin="exhibits"
    )
    seeds: int = option(10, "audits of each mechanism", "N", group=HOW)
    trainings: tuple[int, ...] = option(
        (100, 300, 1000, 3000, 10000),
        "budgets to report; one audit with the largest serves all",
        "N[,N]",
        group=HOW,
        wanted="whole numbers with commas between",
    )
    alpha: float = inherit(AuditSpec, "alpha")
    seed: int = inherit(AuditSpec, "seed")
    jobs: int = inherit(EngineSpec, "jobs")
