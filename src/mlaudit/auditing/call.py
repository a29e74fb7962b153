"""The Python calls `audit` and `confirm`: names become objects, then the audit runs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.arguments import (
    check_procedure,
    resolve_attacks,
    resolve_data,
    resolve_mechanism,
    resolve_procedure,
)
from mlaudit.auditing.notes import repeat_notes, sampler_notes
from mlaudit.auditing.run import Audit, check_numbers, open_run, parameters_of
from mlaudit.drawing.progress import ProgressFunction
from mlaudit.drawing.steadiness import keep_answer
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import InvalidInput
from mlaudit.naming.versions import library_of, versions
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Attack, Engine, Procedure, Store
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.replay import rebuild_mechanism, rebuild_procedure
from mlaudit.results.verdict import judge
from mlaudit.results.view import view_output
from mlaudit.samplers.sampled import sampler_of
from mlaudit.search.candidate import Candidate
from mlaudit.search.worst import Worst
from mlaudit.types.checks import instance, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


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
    """Audit a mechanism: state a lower bound on its true ε, with confidence 1 − alpha.

    The audit trains the mechanism many times on D and on a neighbour D′. The better a classifier distinguishes the
    outputs, the higher is the bound. Give either a `pair` of datasets, or `data` and an `attack` that makes D′. If
    there are several candidates, a tenth of the trainings are pilots: they choose the pair and are not counted. For a
    mechanism that declares no attacks, a search uses a fifth of the trainings to find the worst neighbour.

    Mechanism, data, attacks and procedure can be given by the names that `mlaudit list` shows. A mechanism given by
    name is built with its defaults and the ε and δ of the claim.

    Args:
        mechanism: A mechanism, a function f(data, rng), an estimator with fit and random_state, or a name.
        data: D, or `Worst()` to search for the worst dataset too, or the name of a dataset, or the path of a table.
        pair: D and D′, instead of `data` and `attack`.
        claim: The claim to audit. Default: the mechanism's own. A function or an estimator needs one.
        attack: How D′ is made of D, one or several. Default: the mechanism's own attacks, or else a search.
        rows: Numbers of rows that the attack may change; the best is chosen.
        procedure: How outputs become a bound. Default: `Progressive()`.
        trainings: The total number of trainings.
        alpha: The bound is above the true ε with at most this probability.
        seed: Seed of every training and choice: the same seed gives the same result.
        sampler: How a shipped learner is drawn: by the "library"'s own fit, by its "mirror", "batched", or by the
            fastest of them that was written for the installed library ("auto"). A violation found in batches is
            repeated with the library's own fit.
        engine: Where trainings run. Default: this process.
        store: Where trainings are stored, so that a killed audit can be continued. Default: memory.
        progress: A function of (trainings, cpu_seconds), called for every finished block.
        isolate: Whether every training runs in a fresh process, for learners that keep state.
        repeat: Whether a violation is repeated on fresh trainings before it is announced. The fresh trainings are
            additional to `trainings`, and at most as many.

    Returns:
        The bound, the counts behind it, the verdict, and everything needed to repeat the audit.

    Raises:
        InvalidInput: If an argument has a wrong value, or two arguments contradict each other.
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
    plan = resolve_procedure(procedure)
    return Audit(
        mechanism=mechanism,
        claim=instance("claim", mechanism.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)"),
        data=resolve_data(data, mechanism),
        pair=pair,
        attack=resolve_attacks(attack),
        rows=cast(tuple[int, ...], rows),
        procedure=Progressive() if plan is None else check_procedure(plan),
        trainings=trainings,
        alpha=alpha,
        seed=seed,
        sampler=sampler,
        isolate=isolate,
    ).run(engine, store, progress, repeat=repeat)


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
    """Count the witness of a result again, on fresh trainings that the audit has not used.

    The pair and the rule that distinguishes D from D′ are taken from the result; no rule is learned again.

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
    made, alpha = result.provenance, result.finding.bound.alpha
    procedure = rebuild_procedure(made.procedure) if procedure is None else resolve_procedure(procedure)
    plan = check_procedure(procedure)
    trainings = made.trainings if trainings is None else trainings
    seed = next_seed(result) if seed is None else seed
    if whole("seed", seed, 0) in _counted_seeds(result):
        raise InvalidInput(f"a replay needs fresh trainings, got the result's own seed {seed}; give another seed")
    given = rebuild_mechanism(made.parameters) if mechanism is None else resolve_mechanism(mechanism, result.claim)
    mechanism = as_mechanism(given, result.claim)
    check_numbers(trainings, alpha, seed)
    run = open_run(engine, store, progress)
    scored = view_output(mechanism, result.pair, result.finding.witness.scorer)
    with one_thread():
        sampler = run.sampler(Candidate(result.attack, result.pair, scored), seed, trainings)
        repeatable = run.is_repeatable(sampler)
        finding = plan.confirm(sampler, result.claim, result.pair, alpha, result.finding)
        keep_answer(sampler.streams, run.loop.store, repeatable=repeatable)
    provenance = replace(
        made,
        parameters=parameters_of(mechanism),
        sampler=sampler_of(mechanism),
        trainings=trainings,
        seed=seed,
        versions=versions(mechanism),
        notes=(*repeat_notes(repeatable=repeatable), *sampler_notes(sampler)),
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
