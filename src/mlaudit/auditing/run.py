"""audit(): the straight line from a dataset to a result. The only file that knows its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.candidates import CandidateSet, collect_candidates
from mlaudit.auditing.choose import SelectionPlan, choose_pair, plan_for_search
from mlaudit.auditing.confirm import compare_with_library, repeat_violation
from mlaudit.auditing.names import resolve_attack, resolve_data, resolve_mechanism, resolve_procedure
from mlaudit.auditing.notes import output_notes, repeat_notes, warning_notes
from mlaudit.auditing.parts import check_engine, check_procedure, check_progress
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.pilots import Pilots
from mlaudit.drawing.progress import ProgressFunction
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.steadiness import is_repeatable, keep_answer
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.naming.fingerprint import user_code
from mlaudit.naming.versions import library_of, versions
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Attack, Engine, Mechanism, Procedure, Store
from mlaudit.results.audit_result import AuditResult, Confirmation, Provenance
from mlaudit.results.replay import rebuild_mechanism, rebuild_procedure
from mlaudit.results.verdict import judge, refutes
from mlaudit.samplers.sampled import SAMPLERS, SampledMechanism, choose_sampler, sampler_of, unwrap_sampled
from mlaudit.search.candidate import Candidate
from mlaudit.search.worst import Worst
from mlaudit.types.checks import choice, flag, function, instance, real, several, whole, with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Finding
from mlaudit.types.pair import Pair
from mlaudit.types.traits import traits_of

_FEWEST = 100  # trainings below which nothing could be shown
MOST_TRAININGS = 10**8  # all are held in memory
_MOST_ROWS = 10_000


@dataclass(frozen=True)
class Run:
    """How an audit is carried out: what may change without changing a number."""

    loop: DrawingLoop
    code: str
    isolate: bool  # from the start: an engine may also isolate a learner that ends its process


def _run(
    engine: Engine | None, store: Store | None, progress: ProgressFunction | None, *, isolate: bool = False
) -> Run:
    workers: Engine = LokyEngine() if engine is None else check_engine(engine)
    if instance("isolate", isolate, bool, "write True or False"):
        workers = Isolated.of(workers)
    kept = MemoryStore() if store is None else with_methods("store", store, "a store", ("read", "put"))
    # A learner that keeps state gives other numbers when it is isolated: its stored draws are not those without.
    apart = isinstance(workers, Isolated)
    code = user_code() + (":isolated" if apart else "")
    return Run(DrawingLoop(workers, kept, check_progress(progress)), code, apart)


def audit(  # noqa: PLR0913 - the product's one call: every argument has a default
    mechanism: Any,
    data: Dataset | Worst | str | None = None,
    *,
    pair: Pair | None = None,
    claim: Claim | None = None,
    attack: Attack | str | Sequence[Attack | str] | None = None,
    rows: int | Sequence[int] = (1, 2, 4, 8),
    procedure: Procedure | str | None = None,
    trainings: int = 4000,
    alpha: float = 0.05,
    seed: int = 0,
    sampler: str = "auto",
    engine: Engine | None = None,
    store: Store | None = None,
    progress: ProgressFunction | None = None,
    isolate: bool = False,
    repeat: bool = True,
) -> AuditResult:
    """State a lower bound on the true ε of a mechanism, with one-sided error alpha.

    The audit trains the mechanism again and again on D and on a neighbour D′, and bounds ε by how well the outputs
    tell the two apart. Give either a `pair` of datasets, or `data` and an `attack` that makes the neighbour. If there
    are several candidates, one is chosen on a tenth of the trainings, which do not count. A mechanism without attacks
    of its own is searched for its worst neighbour, on a fifth of the trainings.

    Names of `mlaudit list` may stand for a mechanism, data, attacks and a procedure. A mechanism given by name is
    built with its defaults and the ε and δ of the claim.

    Args:
        mechanism: A mechanism, a function f(data, rng), an estimator with fit and random_state, or a name.
        data: D, or `Worst()` to search for the worst dataset too, or the name of a dataset, or the path of a table.
        pair: D and D′, instead of `data` and `attack`.
        claim: The claim to audit. Default: the mechanism's own. A function or an estimator needs one.
        attack: How D′ is made of D, one or several. Default: the mechanism's own attacks, or else a search.
        rows: Numbers of rows that the attack may change; the best is chosen.
        procedure: How outputs become a bound. Default: `Progressive()`.
        trainings: The total number of trainings.
        alpha: The probability at most with which the bound is above the true ε.
        seed: Seed of every training and choice: the same seed gives the same result.
        sampler: How a shipped learner is drawn: by the "library"'s own fit, by its "mirror", "batched", or by the
            fastest of them that stands for the installed library ("auto"). A violation found in batches is repeated
            with the library's own fit.
        engine: Where trainings run. Default: this process.
        store: Where trainings are kept, so that a killed audit goes on. Default: memory.
        progress: A function of (trainings, cpu_seconds), called for every finished block.
        isolate: Whether every training runs in a fresh process, for learners that keep state.
        repeat: Whether a violation is repeated on fresh trainings before it is announced. The fresh trainings come on
            top of `trainings`, and are at most as many.

    Returns:
        The bound, the counts behind it, the verdict, and everything needed to repeat the audit.

    Raises:
        InvalidInput: If an argument has a wrong value, or two of them do not go together.
        UnknownName: If nothing installed has a given name.
        LearnerFailed: If every training raised.
        LibraryDiffers: If a mirror gives another output than the library's own fit.
        MissingExtra: If the mechanism needs a package that is not installed.

    Example:
        >>> result = audit("laplace", claim=Claim(1.0), trainings=8000, rows=1)
        >>> result.violated
        False
        >>> 0.7 < result.epsilon_lower < 1.2
        True
    """
    # Fails for a correct program with probability < 1e-6: the bound is 0.92, with a deviation of 0.03.
    mechanism = as_mechanism(resolve_mechanism(mechanism, claim), claim)
    data, attack, procedure = resolve_data(data, mechanism), resolve_attack(attack), resolve_procedure(procedure)
    claim = instance("claim", mechanism.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    check_numbers(trainings, alpha, seed)
    counts = _counts(rows)
    _check_parts(data, pair, attack)
    choice("sampler", sampler, SAMPLERS)
    flag("repeat", repeat)
    run = _run(engine, store, progress, isolate=isolate)
    plan = Progressive() if procedure is None else check_procedure(procedure)
    getattr(plan, "check_claim", lambda _: None)(claim)  # some say nothing about some claims
    with one_thread():
        run.loop.progress.phase("choosing the pair")
        pilots = Pilots(seed, run.loop, run.code)
        found = collect_candidates(mechanism, data, pair, attack, counts, claim, trainings, sampler, pilots)
        found = replace(
            found,
            candidates=[replace(c, mechanism=choose_sampler(c.mechanism, sampler, c.pair)) for c in found.candidates],
        )
        for candidate in found.candidates:
            candidate.pair.steps(claim.relation)  # refuses a pair the claim says nothing about
        first = _sampler(found.candidates[0], seed, run, 0)
        repeatable = _is_repeatable(first, run)
        chosen, draw = _choose(found, claim, trainings - pilots.spent, pilots.spent, alpha, seed, run)
        run.loop.progress.phase("trainings")
        finding = plan(draw, claim, chosen.pair, alpha)
        keep_answer(first.streams, run.loop.store, repeatable=repeatable)
        if isinstance(chosen.mechanism, SampledMechanism) and chosen.mechanism.kind == "mirror":
            compare_with_library(chosen.mechanism, draw, seed)
        again = _repeat_if_violated(chosen, plan, finding, claim, trainings, seed, run) if repeat else None
    mechanism = unwrap_sampled(chosen.mechanism)
    provenance = Provenance(
        mechanism=mechanism_name(mechanism),
        parameters=parameters_of(mechanism),
        sampler=sampler_of(chosen.mechanism),
        dataset=chosen.pair.base.name,
        procedure=describe(plan),
        trainings=trainings,
        seed=seed,
        learned_on=seed,
        versions=versions(mechanism),
        notes=(*found.notes, *repeat_notes(repeatable=repeatable), *_output_notes(draw)),
        stands_for=library_of(mechanism),
        repeatable=repeatable,
    )
    verdict = judge(claim, finding.bound, None if again is None else again.bound)
    return AuditResult(claim, chosen.pair, chosen.attack, finding, verdict, provenance, again)


def _repeat_if_violated(
    chosen: Candidate,
    plan: Procedure,
    finding: Finding,
    claim: Claim,
    trainings: int,
    seed: int,
    run: Run,
) -> Confirmation | None:
    """Repeat a violation on fresh trainings: those of the library's own fit, where batches stood for it."""
    if not refutes(claim, finding.bound):
        return None
    code, by = chosen.mechanism, chosen
    if isinstance(code, SampledMechanism) and code.kind == "batched" and traits_of(code).library:
        by = replace(chosen, mechanism=code.mechanism)
    run.loop.progress.phase("repeating on fresh trainings" if by is chosen else "repeating by the library's own fit")
    return repeat_violation(
        plan, finding, claim, chosen.pair, lambda fresh, wanted: _sampler(by, fresh, run, wanted), trainings, seed
    )


def confirm(
    result: AuditResult,
    mechanism: Any = None,
    procedure: Procedure | str | None = None,
    *,
    trainings: int | None = None,
    seed: int | None = None,
    engine: Engine | None = None,
    store: Store | None = None,
    progress: ProgressFunction | None = None,
) -> AuditResult:
    """Count a result's witness once more, on fresh trainings that neither the audit nor its learning has used.

    Nothing is learned: the pair and the rule that tells its sides apart are the result's own.

    Args:
        result: The result of an audit, or `AuditResult.from_json(text)` of somebody else's file.
        mechanism: The mechanism of the result. Default: rebuilt from the result, if mlaudit ships it.
        procedure: How outputs become a bound. Default: the result's own.
        trainings: The number of fresh trainings. Default: as many as the audit had.
        seed: Seed of the fresh trainings. Default: the next one that the result has not used.
        engine: Where trainings run. Default: this process.
        store: Where trainings are kept. Default: memory.
        progress: A function of (trainings, cpu_seconds), called for every finished block.

    Returns:
        The result on the fresh trainings.

    Raises:
        InvalidInput: If an argument has a wrong value, if `seed` is the one that the witness was learned with, or if
            the result is about code outside mlaudit and no mechanism is given.
        LearnerFailed: If every training raised.

    Example:
        >>> first = audit("laplace", claim=Claim(4.0), rows=1, trainings=1000)
        >>> confirm(first).provenance.seed
        1
    """
    instance("result", result, AuditResult, "give what audit() returned, or AuditResult.from_json(text)")
    made = result.provenance
    procedure = rebuild_procedure(made.procedure) if procedure is None else resolve_procedure(procedure)
    plan = check_procedure(procedure)
    trainings = made.trainings if trainings is None else trainings
    seed = next_seed(result) if seed is None else seed
    if whole("seed", seed, 0) in _counted_seeds(result):
        raise InvalidInput(f"a replay needs fresh trainings, got the result's own seed {seed}; give another seed")
    given = rebuild_mechanism(made.parameters) if mechanism is None else resolve_mechanism(mechanism, result.claim)
    mechanism = as_mechanism(given, result.claim)
    check_numbers(trainings, result.finding.bound.alpha, seed)
    run = _run(engine, store, progress)
    alpha = result.finding.bound.alpha
    with one_thread():
        sampler = _sampler(Candidate(result.attack, result.pair, mechanism), seed, run, trainings)
        repeatable = _is_repeatable(sampler, run)
        finding = plan.confirm(sampler, result.claim, result.pair, alpha, result.finding)
        keep_answer(sampler.streams, run.loop.store, repeatable=repeatable)
    provenance = replace(
        result.provenance,
        parameters=parameters_of(mechanism),
        sampler=sampler_of(mechanism),
        trainings=trainings,
        seed=seed,
        versions=versions(mechanism),
        notes=(*repeat_notes(repeatable=repeatable), *_output_notes(sampler)),
        stands_for=library_of(mechanism),
        repeatable=repeatable,
    )
    verdict = judge(result.claim, finding.bound)
    return replace(result, finding=finding, verdict=verdict, provenance=provenance, confirmation=None)


def next_seed(result: AuditResult) -> int:
    """The first seed after all that a result has used."""
    return max(result.provenance.seed, *_counted_seeds(result)) + 1


def _counted_seeds(result: AuditResult) -> set[int]:
    """The seeds whose trainings the witness was learned from, or repeated on."""
    again = result.confirmation
    return {result.provenance.learned_on} | (set() if again is None else {again.seed})


def _is_repeatable(sampler: Sampler, run: Run) -> bool:
    return is_repeatable(sampler.streams, run.loop.store, isolate=run.isolate)


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


def _plan_selection(found: CandidateSet, trainings: int, screened: int) -> SelectionPlan:
    """Plan the choice with so many trainings left: it spends the pilots that a search's screening has left over."""
    if found.search is None:
        return SelectionPlan()
    pilots = found.search.share * (trainings + screened)
    return plan_for_search(int(pilots), (pilots - screened) / trainings)


def _choose(
    found: CandidateSet, claim: Claim, trainings: int, screened: int, alpha: float, seed: int, run: Run
) -> tuple[Candidate, Sampler]:
    """The candidate to audit, and a sampler whose draws start after every pilot."""
    candidates = found.candidates
    if len(candidates) == 1:
        return candidates[0], _sampler(candidates[0], seed, run, trainings)

    def streams(candidate: Candidate) -> tuple[str, ...]:
        return tuple(stream.key for stream in _sampler(candidate, seed, run, 0).streams)

    def pilot(candidate: Candidate, each: int) -> Draws:
        return _sampler(candidate, seed, run, 2 * each)(np.tile(np.array([1, 0]), each))

    plan = _plan_selection(found, trainings, screened)
    selected = choose_pair(candidates, streams, pilot, claim, trainings, alpha, plan)
    rest = _sampler(selected.candidate, seed, run, trainings - selected.spent)
    return selected.candidate, rest.after(selected.draws)


def _sampler(candidate: Candidate, seed: int, run: Run, budget: int) -> Sampler:
    return Sampler(candidate.mechanism, candidate.pair, seed, run.loop, budget, code=run.code)


def parameters_of(mechanism: Mechanism) -> Mapping[str, Any]:
    """What a result records of a mechanism: names and numbers."""
    described = describe(mechanism)
    return described if isinstance(described, dict) else {"type": described}
