"""refute(): run every detector under one α, the cheap ones first, and stop at the first repeated proof."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mlaudit.adapters.convert import as_mechanism
from mlaudit.attacks.search import Search
from mlaudit.auditing.arguments import check_engine, resolve_attacks, resolve_data, resolve_mechanism
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.progress import ProgressFunction, as_progress
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import (
    AuditError,
    Incomplete,
    InvalidInput,
    LearnerFailed,
    LibraryDiffers,
    MissingExtra,
    StoreError,
)
from mlaudit.naming.describe import mechanism_name
from mlaudit.naming.versions import library_of, versions
from mlaudit.protocols import Attack, Engine, Mechanism, Store
from mlaudit.refuting.cause import explain
from mlaudit.refuting.choose_detectors import choose_detectors, share_alpha
from mlaudit.refuting.crafting import plan_units
from mlaudit.refuting.detector import Detector, Look
from mlaudit.refuting.effort import check_trainings, choose_effort
from mlaudit.refuting.following import add_lines, follow_noise
from mlaudit.refuting.limit import LimitedProgress, OutOfTime
from mlaudit.refuting.refutation import Refutation
from mlaudit.refuting.result import Attempt, ClaimTest, Skipped
from mlaudit.refuting.subject import Subject
from mlaudit.refuting.whole_numbers import enclose_data
from mlaudit.search.worst import Worst
from mlaudit.tracing.result import TraceResult
from mlaudit.types.checks import flag, instance, real, whole, with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import duration
from mlaudit.types.pair import Pair
from mlaudit.types.unit_claim import state_unit

TRACING = "trace_noise"
_BEYOND = 3.0  # times the claim: enough to put the worst of several findings first
_WARNED = re.compile(r"warned [\d\s]+ times?")  # every detector counts the same warning
_ROUNDS = 6  # findings of one detector, at most, each with the earlier ones left out
_FATAL = (LibraryDiffers, MissingExtra, StoreError, Incomplete)  # another detector would meet the same


def refute(  # noqa: PLR0913 - every argument but the first has a default
    mechanism: Any,
    data: Dataset | str | None = None,
    *,
    claim: Claim | None = None,
    bounds: tuple[float, float] | None = None,
    unit_rows: int | None = None,
    unit: str | None = None,
    pair: Pair | None = None,
    attack: Attack | str | Sequence[Attack | str] | None = None,
    effort: str = "ci",
    trainings: int | None = None,
    seconds: float | None = None,
    find_all: bool = False,
    last_bits: bool = False,
    measure: int | None = None,
    outside: str | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    engine: Engine | None = None,
    store: Store | None = None,
    progress: ProgressFunction | None = None,
    isolate: bool = False,
) -> ClaimTest:
    """Try to refute a learner's claim, on any data. `audit` measures the leakage on your data instead.

    Every detector that applies gets an equal share of alpha before anything is counted: suspects of a trace, the
    learner's own attacks, crafted worst data, a scan of the fitted object, a search on your data, rows added or
    removed if the claim is about them, and the suspects again on more trainings. They run in this order. The test
    stops at the first violation that fresh trainings repeat. A trace of the violation's pair names the line at fault,
    where the noise can be followed.

    Args:
        mechanism: A mechanism, a function f(data, rng), an estimator with fit and random_state, or a name of `mlaudit
            list mechanisms`.
        data: Your data, or the name of a dataset, or the path of a table. Without data, all data are crafted.
        claim: The claim. Default: the mechanism's own. A function or an estimator needs one.
        bounds: The least and the greatest value of crafted data, for learners that declare no domain. Crafted data
            have as many columns as yours, or one column without data.
        unit_rows: The rows of each unit of crafted data, if one neighbour step is all rows of one unit. Default: as
            many as the largest unit of your data has, at most 50; one row if these have no units.
        unit: What owns the rows of crafted data, in results, where no data are given.
        pair: D and D′. Nothing else is tried then.
        attack: How D′ is made of your data. Nothing else is tried then.
        effort: "smoke", "ci" or "nightly": how many trainings each detector may spend.
        trainings: The most trainings of each detector, instead of the effort's.
        seconds: The time after which no detector starts, and a running one ends. Default: the effort's.
        find_all: Whether to go on after a violation. The part of the output that reveals it is left out then, so that
            it does not hide others.
        last_bits: Whether to look at the last bits of floating-point outputs, too.
        measure: Fresh trainings that state a tight bound for the worst pair: the one on which the other detectors saw
            most, or one that a longer search finds, which takes up to 0.6 times as many trainings again. This is one
            more detector, with its share of alpha. Default: none.
        outside: Rows outside the domain that the learner promises to clip, and that are tried, too: "finite" numbers,
            or "any", which also allows NaN, infinities and -0.0.
        alpha: The probability at most with which a true claim is refuted.
        seed: Seed of every training and choice.
        engine: Where trainings run. Default: this process.
        store: Where trainings are kept. Default: memory.
        progress: A function of (trainings, cpu_seconds), called for every finished block.
        isolate: Whether every training runs in a fresh process, for learners that keep state.

    Returns:
        The verdict, every finding with its witness and cause, and what was run with which share of alpha.

    Raises:
        InvalidInput: If an argument has a wrong value, or no detector applies.
        UnknownName: If nothing installed has a given name.
        LearnerFailed: If every training raised.

    Example:
        >>> exact = refute(lambda data, rng: data.X.sum(), Dataset([0.0, 1.0]), claim=Claim(1.0), effort="smoke")
        >>> exact.violated, exact.findings[0].place
        (True, 'output[0]')
    """
    mechanism = as_mechanism(resolve_mechanism(mechanism, claim), claim)
    claim = instance("claim", mechanism.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    bounds = Worst(bounds).bounds  # checked there
    given = _read_data(data, mechanism, bounds)
    crafted = plan_units(given, unit_rows, unit)
    if isinstance(pair, Pair) and pair.base.unit is not None:
        claim = state_unit(claim, pair.base)
    else:
        claim = state_unit(claim, crafted if given is None else given)
    for name, value in (("find_all", find_all), ("last_bits", last_bits), ("isolate", isolate)):
        flag(name, value)
    real("alpha", alpha, 0, 1)
    whole("seed", seed, 0)
    budget = choose_effort(effort, trainings, seconds)
    measured = 0 if measure is None else check_trainings(measure, "measure")
    workers: Engine = LokyEngine() if engine is None else check_engine(engine)
    kept = MemoryStore() if store is None else with_methods("store", store, "a store", ("read", "put"))
    limited = LimitedProgress(as_progress(progress), budget.seconds)
    subject = Subject(
        learner=mechanism,
        claim=claim,
        data=given,
        bounds=bounds,
        unit_rows=crafted.unit_rows,
        unit=crafted.unit,
        effort=budget,
        seed=seed,
        engine=Isolated.of(workers) if isolate else workers,
        store=kept,
        progress=limited,
        beyond=_BEYOND if find_all else 1.0,
        last_bits=last_bits,
        measured=measured,
        outside=Search(outside="" if outside is None else outside).outside,  # checked there
    )
    detectors = choose_detectors(pair, resolve_attacks(attack), measure=measured > 0)
    with one_thread():
        if TRACING in detectors:
            limited.start(TRACING)
            subject = replace(subject, traced=follow_noise(subject))
        log = _run_detectors(subject, detectors, alpha, find_all=find_all)
    return ClaimTest(
        mechanism=mechanism_name(mechanism),
        stands_for=library_of(mechanism),
        dataset="" if given is None else given.name,
        claim=claim,
        alpha=alpha,
        effort=budget.name,
        seed=seed,
        attempts=tuple(log.attempts),
        findings=tuple(log.findings),
        skipped=tuple(Skipped(name, log.skipped[name]) for name in detectors if name in log.skipped),
        versions=versions(mechanism),
        notes=tuple(log.notes.values()),
        card=None if given is None else given.card,
        trace=log.trace,
    )


def _read_data(data: Any, mechanism: Mechanism, bounds: tuple[float, float] | None) -> Dataset | None:
    """The user's data. If nobody declares a domain, theirs is the box around them: other rows may be illegal."""
    found = resolve_data(data, mechanism)
    if found is None:
        return None
    given = instance("data", found, Dataset, "wrap rows in Dataset(...)")
    undeclared = bounds is None and mechanism.domain(given) is None
    return given.within(enclose_data(given)) if undeclared else given


@dataclass
class _Log:
    """What the detectors have found so far."""

    attempts: list[Attempt] = field(default_factory=list)
    findings: list[Refutation] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)  # in order, none twice
    failures: list[AuditError] = field(default_factory=list)
    trace: TraceResult | None = None

    def add(self, detector: str, alpha: float, trainings: int, look: Look) -> None:
        """Record one look of a detector."""
        self.trace = self.trace if look.trace is None else look.trace
        for note in look.notes:
            self.notes.setdefault(_WARNED.sub("warned", note), note)
        self.attempts.append(
            Attempt(
                detector=detector,
                alpha=alpha,
                trainings=trainings,
                verdict=look.verdict,
                epsilon_lower=look.epsilon_lower,
                ceiling=look.ceiling,
                detectable=look.detectable,
                looked_at=look.looked_at,
            )
        )

    def add_finding(self, found: Refutation) -> None:
        """Keep the higher bound of two findings at the same place."""
        same = [one for one in self.findings if one.place == found.place]
        if all(one.epsilon < found.epsilon for one in same):
            self.findings = [one for one in self.findings if one.place != found.place] + [found]


def _run_detectors(subject: Subject, detectors: Mapping[str, Detector], alpha: float, *, find_all: bool) -> _Log:
    """Run every detector that applies, until one refutes the claim or, with `find_all`, to the end."""
    skipped = {name: why for name, one in detectors.items() if (why := one.obstacle(subject))}
    log = _Log(skipped=skipped, trace=subject.traced.result)
    shares = share_alpha([name for name in detectors if name not in log.skipped], alpha)
    if not shares:
        reasons = "; ".join(f"{name}: {why}" for name, why in log.skipped.items())
        raise InvalidInput(f"at least one detector must apply, got none ({reasons})")
    limit = f"the time limit of {duration(subject.effort.seconds)}"
    for name, share in shares.items():
        if log.findings and not find_all:
            log.skipped[name] = "the claim was refuted before"
        elif subject.progress.is_over:
            log.skipped[name] = f"{limit} was reached before"
        else:
            try:
                subject = _run_rounds(subject, name, detectors[name], share, log, find_all=find_all)
            except OutOfTime:
                log.skipped[name] = f"{limit} ended it"
            except _FATAL:
                raise
            except AuditError as error:
                log.failures.append(error)
                log.skipped[name] = " ".join(str(error).split())
    if not log.attempts and log.failures:
        raise next((one for one in log.failures if isinstance(one, LearnerFailed)), log.failures[0])
    return log


def _run_rounds(
    subject: Subject, name: str, detector: Detector, alpha: float, log: _Log, *, find_all: bool
) -> Subject:
    """Run a detector; with `find_all` again and again, each time without the part of the output that it found.

    Each round is a test at the same share, and the first one that does not refute is the last. So the probability
    that any finding of the detector is false is at most its share: only the first test of a true hypothesis can err.
    """
    for _ in range(_ROUNDS if find_all else 1):
        subject.progress.start(name)
        look = detector(subject, alpha)
        log.add(name, alpha, subject.progress.trainings, look)
        subject = narrower = subject.follow(look.audit, look.trace)
        for found in look.refutations:
            subject.progress.start_phase("repeating is done, reading the cause")
            explained, part = explain(subject, found)
            narrower = narrower if part is None else narrower.leave_out(part)
            log.add_finding(add_lines(subject, explained))
        if narrower.narrowing == subject.narrowing or look.complete:
            return narrower
        subject = narrower
    return subject
