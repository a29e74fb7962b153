"""The options of commands other than `run`: what they share with an audit is inherited from its spec."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlaudit.auditing.options import argument, flag, inherit, option
from mlaudit.auditing.spec import HOW, AuditSpec, LearnerSpec
from mlaudit.naming.plugins import shipped
from mlaudit.refuting.effort import EFFORTS

WHERE = "where trainings run (this does not change any number)"


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

    change: str = inherit(AuditSpec, "change", "", "leave this out: relations replaces, adds and removes rows")
    rows: tuple[int, ...] = inherit(AuditSpec, "rows", (1,))
    procedure: str = inherit(AuditSpec, "procedure", "sequential")


@dataclass(frozen=True)
class ScanSpec(LearnerSpec):
    """`mlaudit scan`."""

    pilot: int = option(40, "trainings on each dataset to find suspects", "N", group=HOW)
    trainings: int = inherit(AuditSpec, "trainings", 400, "at most so many fresh trainings for each suspect")
    isolate: bool = inherit(AuditSpec, "isolate")


@dataclass(frozen=True)
class TraceSpec(LearnerSpec):
    """`mlaudit trace`."""

    pair: str | None = inherit(AuditSpec, "pair")
    pairs: int = option(100, "the most pairs of the data, two trainings each", "N", group=HOW)
    rounds: int = option(4, "transcripts of each suspected pair, two trainings each", "N", group=HOW)
    trainings: int = inherit(
        AuditSpec, "trainings", 2000, "at most so many trainings for the statistical test of each suspect"
    )
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
        "the bounds of every crafted column, for learners that declare no domain",
    )
    unit_rows: int | None = inherit(
        AuditSpec,
        "unit_rows",
        None,
        "the rows of each unit of crafted data (default: as many as the largest unit of --data has, at most 50; "
        "without data 4)",
    )
    outside_domain: str | None = inherit(
        AuditSpec,
        "outside_domain",
        None,
        "also try rows outside the domain, if the learner is documented to clip them: finite, or any (NaN, ±inf, "
        "-0.0)",
    )
    effort: str = option(
        "ci", "smoke (about 1 s plus the learner's fits), ci or nightly", "HOW", group=HOW, words=tuple(EFFORTS)
    )
    trainings: int | None = inherit(AuditSpec, "trainings", None, "trainings of each detector (default: by effort)")
    seconds: float | None = option(None, "no detector starts after S seconds (default: by effort)", "S", group=HOW)
    all: bool = flag("continue after a violation, without the part of the output that leaks", group=HOW)
    last_bits: bool = flag("also test the last bits of floating-point outputs", group=HOW)
    measure: int | None = option(
        None, "also state a tight bound for the worst pair found, by N fresh trainings", "N", group=HOW
    )
    isolate: bool = inherit(AuditSpec, "isolate")


@dataclass(frozen=True)
class TrainerSpec(LearnerSpec):
    """A trainer in place of a mechanism."""

    mechanism: str = argument("name, pkg.module:object or my_file.py:object", "trainer", plugin="trainers")


@dataclass(frozen=True)
class OneRunSpec(TrainerSpec):
    """`mlaudit one-run`."""

    canaries: int = option(1000, "the number of canaries", "M", group=HOW)
    share_in: float = option(0.1, "the share of canaries to guess as inserted", "S", group=HOW)
    share_out: float = option(0.1, "the share of canaries to guess as left out", "S", group=HOW)


@dataclass(frozen=True)
class WhiteBoxSpec(TrainerSpec):
    """`mlaudit white-box`."""

    trainings: int = inherit(AuditSpec, "trainings", 200, "the number of trainings to observe")


@dataclass(frozen=True)
class LibrarySpec:
    """`mlaudit library`."""

    catalogue: str = argument("name, pkg.module:items or my_file.py:items", plugin="catalogues")
    only: tuple[str, ...] | None = option(
        None, "the items whose names contain one of these texts (default: all)", "TEXT[,TEXT]", group=HOW
    )
    effort: str = inherit(RefuteSpec, "effort")
    measure: int | None = inherit(RefuteSpec, "measure")
    alpha: float = inherit(
        AuditSpec, "alpha", 0.05, "the probability at most that any true claim of the catalogue is refuted"
    )
    seed: int = inherit(AuditSpec, "seed")


@dataclass(frozen=True)
class ReplaySpec:
    """`mlaudit replay`."""

    result: str = argument("a result.json or a witness, or the folder of a run")
    mechanism: str | None = option(
        None, "the mechanism, if it is your own code", "FILE:OBJECT|CMD", group=HOW, plugin="mechanisms"
    )
    interval: str | None = inherit(AuditSpec, "interval", None, "the interval, if it is your own code")
    param: Mapping[str, Any] = option({}, "a parameter of the mechanism", "NAME=VALUE", group=HOW)
    trainings: int | None = inherit(
        AuditSpec, "trainings", None, "the number of trainings (default: as many as the result's)"
    )
    seed: int | None = inherit(
        AuditSpec, "seed", None, "the seed of all trainings (default: the result's seed plus 1)"
    )
    isolate: bool = inherit(AuditSpec, "isolate")


@dataclass(frozen=True)
class ZooSpec:
    """`mlaudit zoo`."""

    only: tuple[str, ...] | None = option(
        None, "the exhibits to audit (default: all)", "NAME[,NAME]", group=HOW, plugin="exhibits"
    )
    seeds: int = option(10, "audits of each mechanism", "N", group=HOW)
    trainings: tuple[int, ...] = option(
        (100, 300, 1000, 3000, 10000),
        "numbers of trainings to report; one audit with the largest number gives all",
        "N[,N]",
        group=HOW,
        wanted="whole numbers separated by commas",
    )
    alpha: float = inherit(AuditSpec, "alpha")
    seed: int = inherit(AuditSpec, "seed")
    jobs: int = inherit(EngineSpec, "jobs")
