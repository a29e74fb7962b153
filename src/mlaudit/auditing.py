"""audit(): the straight line from a dataset to a result. The only file that knows its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from mlaudit.adapters.convert import as_mechanism, mechanism_name, sampler_of
from mlaudit.adapters.fast import SAMPLERS, Fast, drawn_by, plain
from mlaudit.candidates import Candidate
from mlaudit.describe import describe
from mlaudit.engines.isolated import Isolated
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import InvalidInput
from mlaudit.fingerprint import user_code
from mlaudit.notes import output_notes, repeat_notes, warning_notes
from mlaudit.parts import the_engine, the_procedure, the_progress
from mlaudit.phases import tell_phase
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Attack, Engine, Mechanism, Procedure, Store
from mlaudit.sampling import Progress, Sampler
from mlaudit.searching.gathering import Gathered, gathered
from mlaudit.searching.pilots import Pilots
from mlaudit.searching.worst import Worst
from mlaudit.selection import Terms, choose_pair, searched_terms
from mlaudit.steadiness import is_repeatable
from mlaudit.stores.memory import MemoryStore
from mlaudit.threads import one_thread
from mlaudit.trials import compare_with_library, confirm_on_library
from mlaudit.types.checks import choice, function, having, instance, real, several, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair
from mlaudit.types.result import AuditResult, Confirmation, Provenance, judge
from mlaudit.versions import library_of, versions

_FEWEST = 100  # trainings below which nothing could be shown
MOST_TRAININGS = 10**8  # all are held in memory
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class Run:
    """How an audit is carried out: what may change without changing a number."""

    engine: Engine
    store: Store
    progress: Progress
    code: str


def _run(engine: Engine | None, store: Store | None, progress: Progress | None, *, isolate: bool = False) -> Run:
    workers: Engine = JoblibEngine() if engine is None else the_engine(engine)
    if isolate:
        workers = Isolated.of(workers)
    kept = MemoryStore() if store is None else having("store", store, "a store", ("read", "put"))
    # A learner that keeps state gives other numbers when it is isolated: its stored draws are not those without.
    code = user_code() + (":isolated" if isinstance(workers, Isolated) else "")
    return Run(workers, kept, the_progress(progress), code)


def audit(  # noqa: PLR0913 - the product's one call: every argument has a default
    mechanism: Any,
    data: Dataset | Worst | None = None,
    *,
    pair: Pair | None = None,
    claim: Claim | None = None,
    attack: Attack | Sequence[Attack] | None = None,
    rows: int | Sequence[int] = (1, 2, 4, 8),
    procedure: Procedure | None = None,
    trainings: int = 4000,
    alpha: float = 0.05,
    seed: int = 0,
    sampler: str = "auto",
    engine: Engine | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
    isolate: bool = False,
) -> AuditResult:
    """State a lower bound on the true ε of a mechanism, with one-sided error alpha.

    Bring either a `pair` of datasets, or `data` and an `attack` (or several) that makes the neighbour, with `rows`
    rows changed; where there are several candidates one is chosen on a tenth of the trainings, which do not count. A
    learner that brings no attack is searched for its worst neighbour (attack `Search`), on a fifth of them; with
    `data=Worst()` for its worst dataset, too.
    `trainings` is the total budget. A plain function f(data, rng) or an estimator needs a `claim`. `sampler` says how
    a shipped learner is drawn: by the `library`'s own fit, its `mirror`, `batched`, or (`auto`) the fastest of them
    that stands for the installed library; a violation found in batches is confirmed on the library's own fit.
    With `isolate` every training runs in a fresh process, for learners that keep state from one to the next.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> result = audit(Laplace(1.0), trainings=8000, rows=1)
    >>> 0.7 < result.epsilon_lower < 1.2
    True
    """
    # Fails for a correct program with probability < 1e-6: the bound is 0.92, with a deviation of 0.03.
    subject = as_mechanism(mechanism, claim)
    promised = instance("claim", subject.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    check_numbers(trainings, alpha, seed)
    counts = _counts(rows)
    _check_parts(data, pair, attack)
    choice("sampler", sampler, SAMPLERS)
    run = _run(engine, store, progress, isolate=isolate)
    plan = Progressive() if procedure is None else the_procedure(procedure)
    getattr(plan, "check_claim", lambda _: None)(promised)  # some say nothing about some claims
    with one_thread():
        tell_phase(run.progress, "choosing the pair")
        pilots = Pilots(seed, run.engine, run.store, run.progress, run.code)
        found = gathered(subject, data, pair, attack, counts, promised, trainings, sampler, pilots)
        found = replace(
            found, candidates=[replace(c, mechanism=drawn_by(c.mechanism, sampler, c.pair)) for c in found.candidates]
        )
        for candidate in found.candidates:
            candidate.pair.steps(promised.relation)  # refuses a pair the claim says nothing about
        repeatable = _is_repeatable(_sampler(found.candidates[0], seed, run, 0), run)
        chosen, draw = _choose(found, promised, trainings - pilots.spent, pilots.spent, alpha, seed, run)
        tell_phase(run.progress, "trainings")
        finding = plan(draw, promised, chosen.pair, alpha)
        confirmation = _tried(chosen, draw, plan, finding, promised, trainings, seed, run)
    audited = plain(chosen.mechanism)
    provenance = Provenance(
        mechanism=mechanism_name(audited),
        parameters=parameters_of(audited),
        sampler=sampler_of(chosen.mechanism),
        dataset=chosen.pair.base.name,
        procedure=describe(plan),
        trainings=trainings,
        seed=seed,
        learned_on=seed,
        versions=versions(audited),
        notes=(*found.notes, *repeat_notes(repeatable=repeatable), *_output_notes(draw)),
        stands_for=library_of(audited),
        repeatable=repeatable,
    )
    verdict = judge(promised, finding, confirmation)
    return AuditResult(promised, chosen.pair, chosen.attack, finding, verdict, provenance, confirmation)


def _tried(
    chosen: Candidate,
    draw: Sampler,
    plan: Procedure,
    finding: Finding,
    claim: Claim,
    trainings: int,
    seed: int,
    run: Run,
) -> Confirmation | None:
    """What a sampler drew, held against the library: a mirror always, batches where they show a violation."""
    fast = chosen.mechanism
    if not isinstance(fast, Fast) or not fast.library:
        return None
    if fast.kind == "mirror":
        compare_with_library(fast, draw, seed)
        return None
    if judge(claim, finding) == "consistent":
        return None

    tell_phase(run.progress, "confirming by the library's own fit")

    def library(fresh: int, wanted: int) -> Sampler:
        return _sampler(replace(chosen, mechanism=fast.mechanism), fresh, run, wanted)

    return confirm_on_library(plan, finding, claim, chosen.pair, library, trainings, seed)


def confirm(
    result: AuditResult,
    mechanism: Any,
    procedure: Procedure,
    *,
    trainings: int,
    seed: int,
    engine: Engine | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Count a result's witness once more, on trainings that neither it nor its learning has seen."""
    instance("result", result, AuditResult, "give what audit() returned, or load(path)")
    the_procedure(procedure)
    if whole("seed", seed, 0) == result.provenance.learned_on:
        raise InvalidInput(f"a replay needs fresh trainings, got the result's own seed {seed}; give another seed")
    subject = as_mechanism(mechanism, result.claim)
    check_numbers(trainings, result.finding.bound.alpha, seed)
    run = _run(engine, store, progress)
    alpha = result.finding.bound.alpha
    with one_thread():
        sampler = _sampler(Candidate(result.attack, result.pair, subject), seed, run, trainings)
        repeatable = _is_repeatable(sampler, run)
        finding = procedure.confirm(sampler, result.claim, result.pair, alpha, result.finding)
    provenance = replace(
        result.provenance,
        parameters=parameters_of(subject),
        sampler=sampler_of(subject),
        trainings=trainings,
        seed=seed,
        versions=versions(subject),
        notes=(*repeat_notes(repeatable=repeatable), *_output_notes(sampler)),
        stands_for=library_of(subject),
        repeatable=repeatable,
    )
    verdict = judge(result.claim, finding)
    return replace(result, finding=finding, verdict=verdict, provenance=provenance, confirmation=None)


def _is_repeatable(sampler: Sampler, run: Run) -> bool:
    return is_repeatable(sampler.arms, run.store, isolate=isinstance(run.engine, Isolated))


def _output_notes(sampler: Sampler) -> tuple[str, ...]:
    return (*output_notes(sampler.outputs), *warning_notes(mechanism_name(sampler.mechanism), sampler.notices))


def check_numbers(trainings: int, alpha: float, seed: int) -> None:
    """Refuse numbers that no audit can be run with."""
    whole("trainings", trainings, _FEWEST, "more trainings show more", MOST_TRAININGS)
    real("alpha", alpha, 0, 1)
    whole("seed", seed, 0)


def _counts(rows: object) -> tuple[int, ...]:
    """How many rows are to be changed: a number, or several to choose among."""
    counts = (rows,) if isinstance(rows, Integral) else several("rows", rows, "whole numbers")
    # A bound is divided by the number of rows: beyond the limit nothing could be shown.
    return tuple(whole("rows", count, 1, high=_MOST_ROWS) for count in counts)


def _check_parts(data: object, pair: object, attack: object) -> None:
    """Refuse whatever is no data, no pair, or no attack before anything is drawn."""
    if data is not None:
        instance("data", data, (Dataset, Worst), "wrap rows in Dataset(...)")
    if pair is not None:
        instance("pair", pair, Pair, "make one with Pair(Dataset(...), Dataset(...))")
    if attack is not None:
        for one in several("attack", attack, "attacks") if isinstance(attack, list | tuple) else (attack,):
            function("attack", one, "a function of (mechanism, data, rows, rng)")


def _terms(found: Gathered, trainings: int, screened: int) -> Terms:
    """How to choose with so many trainings left: what the screening left over of a search's pilots is spent here."""
    if found.search is None:
        return Terms()
    pilots = found.search.share * (trainings + screened)
    return searched_terms(int(pilots), (pilots - screened) / trainings)


def _choose(
    found: Gathered, claim: Claim, trainings: int, screened: int, alpha: float, seed: int, run: Run
) -> tuple[Candidate, Sampler]:
    """The candidate to audit, and a sampler whose draws start after every pilot."""
    candidates = found.candidates
    if len(candidates) == 1:
        return candidates[0], _sampler(candidates[0], seed, run, trainings)

    def arms(candidate: Candidate) -> tuple[str, ...]:
        return tuple(arm.key for arm in _sampler(candidate, seed, run, 0).arms)

    def pilot(candidate: Candidate, each: int) -> Draws:
        return _sampler(candidate, seed, run, 2 * each)(np.tile(np.array([1, 0]), each))

    choice = choose_pair(candidates, arms, pilot, claim, trainings, alpha, _terms(found, trainings, screened))
    return choice.candidate, _sampler(choice.candidate, seed, run, trainings - choice.spent).after(choice.draws)


def _sampler(candidate: Candidate, seed: int, run: Run, budget: int) -> Sampler:
    return Sampler(
        candidate.mechanism, candidate.pair, seed, run.engine, run.store, budget, run.progress, code=run.code
    )


def parameters_of(mechanism: Mechanism) -> Mapping[str, Any]:
    """What a result records of a mechanism: names and numbers."""
    described = describe(mechanism)
    return described if isinstance(described, dict) else {"type": described}
