"""An audit as one value, and the straight line from its data to its result. The only file that knows this order."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from numbers import Integral
from typing import Any

import numpy as np

from mlaudit.auditing.arguments import check_engine
from mlaudit.auditing.candidates import CandidateSet, collect_candidates
from mlaudit.auditing.choose import SelectionPlan, choose_pair, plan_for_search
from mlaudit.auditing.confirm import compare_with_library, repeat_violation
from mlaudit.auditing.notes import outside_notes, own_fit_notes, repeat_notes, sampler_notes
from mlaudit.auditing.repetition import announce_library, plan_attempts, usual_attempts
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.pairing import learn_shift
from mlaudit.drawing.pilots import Pilots
from mlaudit.drawing.progress import ProgressFunction, as_progress
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.steadiness import is_repeatable, keep_answer
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.naming.fingerprint import fingerprint, user_code
from mlaudit.naming.versions import library_of, versions
from mlaudit.protocols import Attack, ChecksClaim, Engine, Mechanism, Procedure, StatesCeiling, Store, UsesShift
from mlaudit.results.audit_result import AuditResult, Confirmation, Provenance
from mlaudit.results.verdict import judge, refutes
from mlaudit.samplers.sampled import (
    SAMPLERS,
    SampledMechanism,
    choose_sampler,
    explain_own_fit,
    sampler_of,
    unwrap_sampled,
)
from mlaudit.search.candidate import Candidate
from mlaudit.search.limits import Ceiling
from mlaudit.search.worst import Worst
from mlaudit.types.checks import choice, flag, function, instance, real, several, whole, with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair
from mlaudit.types.shift import PairedShift
from mlaudit.types.traits import traits_of
from mlaudit.types.unit_claim import state_unit

_FEWEST = 100  # trainings below which nothing could be shown
MOST_TRAININGS = 10**8  # all are held in memory
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class Run:
    """How an audit is carried out: what may change without changing a number."""

    loop: DrawingLoop
    code: str
    isolate: bool  # from the start: an engine may also isolate a learner that ends its process
    _identities: dict[int, tuple[Mechanism, str]] = field(default_factory=dict, repr=False)

    def sampler(self, candidate: Candidate, seed: int, budget: int) -> Sampler:
        """Fresh trainings of a candidate, as many as the budget allows."""
        mechanism, identity = candidate.mechanism, self._identify(candidate.mechanism)
        return Sampler(mechanism, candidate.pair, seed, self.loop, budget, code=self.code, identity=identity)

    def _identify(self, mechanism: Mechanism) -> str:
        """Take the fingerprint of a mechanism once: it is needed for every stream."""
        there = self._identities.get(id(mechanism))
        if there is None or there[0] is not mechanism:
            there = self._identities[id(mechanism)] = mechanism, fingerprint(mechanism)
        return there[1]

    def is_repeatable(self, sampler: Sampler) -> bool:
        """Whether the learner takes all randomness from its seed; one that keeps state is refused."""
        return is_repeatable(sampler.streams, self.loop.store, isolate=self.isolate)


def open_run(
    engine: Engine | None, store: Store | None, progress: ProgressFunction | None, *, isolate: bool = False
) -> Run:
    """Check where trainings run and are kept; by default in this process and in memory."""
    workers: Engine = LokyEngine() if engine is None else check_engine(engine)
    if instance("isolate", isolate, bool, "write True or False"):
        workers = Isolated.of(workers)
    kept = MemoryStore() if store is None else with_methods("store", store, "a store", ("read", "put"))
    # A learner that keeps state gives other numbers when it is isolated: its stored draws are not those without.
    apart = isinstance(workers, Isolated)
    code = user_code() + (":isolated" if apart else "")
    return Run(DrawingLoop(workers, kept, as_progress(progress)), code, apart)


@dataclass(frozen=True)
class Audit:
    """What is audited, and how; the arguments of the function `audit`, as objects, without where it runs.

    Raises:
        InvalidInput: If a value is none that an audit can be run with.
    """

    mechanism: Mechanism
    claim: Claim
    data: Dataset | Worst | None
    pair: Pair | None
    attack: tuple[Attack, ...] | None
    rows: tuple[int, ...]
    procedure: Procedure
    trainings: int
    alpha: float
    seed: int
    sampler: str
    isolate: bool

    def __post_init__(self) -> None:
        check_numbers(self.trainings, self.alpha, self.seed)
        rows = (self.rows,) if isinstance(self.rows, Integral) else several("rows", self.rows, "whole numbers")
        # A bound is divided by the number of rows: beyond the limit nothing could be shown.
        counts = tuple(whole("rows", count, 1, high=_MOST_ROWS) for count in rows)
        object.__setattr__(self, "rows", counts)
        if self.data is not None:
            instance("data", self.data, (Dataset, Worst), "wrap rows in Dataset(...)")
        if self.pair is not None:
            instance("pair", self.pair, Pair, "make one with Pair(Dataset(...), Dataset(...))")
        owned = self.data if self.pair is None or self.pair.base.unit is None else self.pair.base
        if owned is not None:
            object.__setattr__(self, "claim", state_unit(self.claim, owned))
        for attack in self.attack or ():
            function("attack", attack, "a function of (mechanism, data, rows, rng)")
        choice("sampler", self.sampler, SAMPLERS)
        if isinstance(self.procedure, ChecksClaim):
            self.procedure.check_claim(self.claim)

    def run(
        self,
        engine: Engine | None,
        store: Store | None,
        progress: ProgressFunction | None,
        *,
        repeat: bool = True,
    ) -> AuditResult:
        """Find candidates, choose one on pilots, draw labelled trainings, state a bound and repeat a violation."""
        flag("repeat", repeat)
        run = open_run(engine, store, progress, isolate=self.isolate)
        with one_thread():
            run.loop.progress.start_phase("choosing the pair")
            pilots = Pilots(self.seed, run.loop, run.code)
            found = self._collect_candidates(pilots)
            first = run.sampler(found.candidates[0], self.seed, 0)
            repeatable = run.is_repeatable(first)
            chosen, draw = self._choose(found, pilots.spent, run)
            if repeatable:
                self._learn_shift(chosen, draw, pilots)
            run.loop.progress.start_phase("trainings")
            finding = self.procedure(draw, self.claim, chosen.pair, self.alpha)
            keep_answer(first.streams, run.loop.store, repeatable=repeatable)
            if isinstance(chosen.mechanism, SampledMechanism) and chosen.mechanism.kind == "mirror":
                compare_with_library(chosen.mechanism, draw, self.seed)
            again = self._repeat_if_violated(chosen, finding, run) if repeat else None
        verdict = judge(self.claim, finding.bound, None if again is None else again.bound)
        outside = outside_notes(chosen.pair, violated=verdict == "violated")
        own_fit = own_fit_notes(explain_own_fit(chosen.mechanism, self.sampler, chosen.pair))
        notes = (*found.notes, *outside, *own_fit, *repeat_notes(repeatable=repeatable), *sampler_notes(draw))
        provenance = self._state_provenance(chosen, notes, repeatable=repeatable)
        return AuditResult(self.claim, chosen.pair, chosen.attack, finding, verdict, provenance, again)

    def _collect_candidates(self, pilots: Pilots) -> CandidateSet:
        """Every candidate, with the sampler that draws it; refuses a pair that the claim says nothing about."""
        found = collect_candidates(
            self.mechanism,
            self.data,
            self.pair,
            self.attack,
            self.rows,
            self.claim,
            self.trainings,
            self.sampler,
            pilots,
            ceiling=self._ceiling(),
        )
        candidates = [
            replace(c, mechanism=choose_sampler(c.mechanism, self.sampler, c.pair)) for c in found.candidates
        ]
        for candidate in candidates:
            candidate.pair.steps(self.claim.relation)
        return replace(found, candidates=candidates)

    def _ceiling(self) -> Ceiling | None:
        """The largest bound for a number of steps, if the procedure knows it."""
        if not isinstance(self.procedure, StatesCeiling):
            return None
        return partial(self.procedure.ceiling, self.claim, alpha=self.alpha)

    def _choose(self, found: CandidateSet, screened: int, run: Run) -> tuple[Candidate, Sampler]:
        """The candidate to audit, and a sampler whose draws start after every pilot."""
        candidates, trainings = found.candidates, self.trainings - screened
        if len(candidates) == 1:
            return candidates[0], run.sampler(candidates[0], self.seed, trainings)

        @cache
        def streams(candidate: Candidate) -> tuple[str, ...]:
            return tuple(stream.key for stream in run.sampler(candidate, self.seed, 0).streams)

        def pilot(candidate: Candidate, each: int) -> Draws:
            return run.sampler(candidate, self.seed, 2 * each)(np.tile(np.array([1, 0]), each))

        plan = SelectionPlan()
        if found.search is not None:  # the choice spends the pilots that the search has left over
            pilots = found.search.share * (trainings + screened)
            plan = plan_for_search(int(pilots), (pilots - screened) / trainings)
        selected = choose_pair(candidates, streams, pilot, self.claim, trainings, self.alpha, plan, self._ceiling())
        rest = run.sampler(selected.candidate, self.seed, trainings - selected.spent)
        return selected.candidate, rest.start_after(selected.draws)

    def _learn_shift(self, chosen: Candidate, draw: Sampler, pilots: Pilots) -> None:
        """Let the procedure learn the shift from common seeds; some want it before the first training."""

        def learn(pairs: int) -> tuple[PairedShift | None, int]:
            spent = pilots.spent
            return learn_shift(pilots, chosen.mechanism, chosen.pair, pairs), pilots.spent - spent

        draw.pairing = learn
        if isinstance(self.procedure, UsesShift):
            draw.learn_shift(self.procedure.pairs(self.trainings))

    def _repeat_if_violated(self, chosen: Candidate, finding: Finding, run: Run) -> Confirmation | None:
        """Repeat a violation on fresh trainings: those of the library's own fit, where batches stood for it."""
        if not refutes(self.claim, finding.bound):
            return None
        code, by = chosen.mechanism, chosen
        if isinstance(code, SampledMechanism) and code.kind == "batched" and traits_of(code).library:
            by = replace(chosen, mechanism=code.mechanism)

        def fresh(seed: int, wanted: int) -> Sampler:
            return run.sampler(by, seed, wanted)

        if by is chosen:
            attempts, said = usual_attempts(self.trainings), "repeating on fresh trainings"
        else:
            attempts = plan_attempts(finding, self.claim, self.trainings)
            said = announce_library(attempts, fresh(self.seed + 1, 0))
        run.loop.progress.start_phase(said)
        return repeat_violation(self.procedure, finding, self.claim, chosen.pair, fresh, attempts, self.seed)

    def _state_provenance(self, chosen: Candidate, notes: tuple[str, ...], *, repeatable: bool) -> Provenance:
        mechanism = unwrap_sampled(chosen.mechanism)
        return Provenance(
            mechanism=mechanism_name(mechanism),
            parameters=parameters_of(mechanism),
            sampler=sampler_of(chosen.mechanism),
            dataset=chosen.pair.base.name,
            procedure=describe(self.procedure),
            trainings=self.trainings,
            seed=self.seed,
            learned_on=self.seed,
            versions=versions(mechanism),
            notes=notes,
            stands_for=library_of(mechanism),
            repeatable=repeatable,
            card=self.data.card if isinstance(self.data, Dataset) else chosen.pair.base.card,
        )


def check_numbers(trainings: int, alpha: float, seed: int) -> None:
    """Refuse numbers that no audit can be run with."""
    whole("trainings", trainings, _FEWEST, "more trainings show more", MOST_TRAININGS)
    real("alpha", alpha, 0, 1)
    whole("seed", seed, 0)


def parameters_of(mechanism: Mechanism) -> Mapping[str, Any]:
    """What a result records of a mechanism: names and numbers."""
    described = describe(mechanism)
    return described if isinstance(described, dict) else {"type": described}
