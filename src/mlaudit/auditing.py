"""audit(): the straight line from a dataset to a result. The only file that knows its order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.adapters.convert import as_mechanism, mechanism_name, sampler_of
from mlaudit.attacks._auto import automatic
from mlaudit.describe import describe, name_of
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import InvalidInput
from mlaudit.notes import output_notes
from mlaudit.procedures.progressive import Progressive
from mlaudit.protocols import Attack, Engine, Mechanism, Procedure, Store
from mlaudit.sampling import Progress, Sampler
from mlaudit.selection import Candidate, choose_pair, pilot_size
from mlaudit.stores.memory import MemoryStore
from mlaudit.threads import one_thread
from mlaudit.types.checks import real, whole
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.draws import Draws
from mlaudit.types.pair import Pair
from mlaudit.types.result import AuditResult, Provenance, judge
from mlaudit.versions import versions

_ATTACK_SEED = 0xA77AC
_FEWEST = 100  # trainings below which nothing could be shown


@dataclass(frozen=True)
class Run:
    """How an audit is carried out: what may change without changing a number."""

    engine: Engine
    store: Store
    progress: Progress


def audit(  # noqa: PLR0913 - the product's one call: every argument has a default
    mechanism: Any,
    data: Dataset | None = None,
    *,
    pair: Pair | None = None,
    claim: Claim | None = None,
    attack: Attack | Sequence[Attack] | None = None,
    rows: int | Sequence[int] = (1, 2, 4, 8),
    procedure: Procedure | None = None,
    trainings: int = 4000,
    alpha: float = 0.05,
    seed: int = 0,
    engine: Engine | None = None,
    store: Store | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """State a lower bound on the true ε of a mechanism, with one-sided error alpha.

    Bring either a `pair` of datasets, or `data` and an `attack` (or several) that makes the neighbour, with `rows`
    rows changed; where there are several candidates one is chosen on a tenth of the trainings, which do not count.
    `trainings` is the total budget. A plain function f(data, rng) or an estimator needs a `claim`.

    >>> from mlaudit.mechanisms.laplace import Laplace
    >>> result = audit(Laplace(1.0), trainings=2000, rows=1)
    >>> result.verdict, 0.7 < result.epsilon_lower < 1.0
    ('consistent', True)
    """
    subject = as_mechanism(mechanism, claim)
    promised = subject.claim if claim is None else claim
    whole("trainings", trainings, _FEWEST, "more trainings show more")
    real("alpha", alpha, 0, 1)
    whole("seed", seed, 0)
    counts = (rows,) if isinstance(rows, int) else tuple(rows)
    for count in counts:
        whole("rows", count, 1)
    run = Run(engine or JoblibEngine(), store or MemoryStore(), progress or (lambda _: None))
    plan = procedure or Progressive()
    with one_thread():
        candidates = _candidates(subject, data, pair, attack, counts, seed)
        for candidate in candidates:
            candidate.pair.steps(promised.relation)  # refuses a pair the claim says nothing about
        chosen, sampler = _choose(candidates, subject, promised, trainings, alpha, seed, run)
        finding = plan(sampler, promised, chosen.pair, alpha)
    provenance = Provenance(
        mechanism=mechanism_name(subject),
        parameters=_parameters(subject),
        sampler=sampler_of(subject),
        dataset=chosen.pair.base.name,
        procedure=describe(plan),
        trainings=trainings,
        seed=seed,
        versions=versions(subject),
        notes=output_notes(sampler.outputs),
    )
    return AuditResult(promised, chosen.pair, chosen.attack, finding, judge(promised, finding), provenance)


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
    if seed == result.provenance.seed:
        raise InvalidInput(f"a replay needs fresh trainings, got the result's own seed {seed}; give another seed")
    subject = as_mechanism(mechanism, result.claim)
    whole("trainings", trainings, _FEWEST, "more trainings show more")
    run = Run(engine or JoblibEngine(), store or MemoryStore(), progress or (lambda _: None))
    alpha = result.finding.bound.alpha
    with one_thread():
        sampler = _sampler(subject, result.pair, seed, run, trainings)
        finding = procedure.confirm(sampler, result.claim, result.pair, alpha, result.finding)
    provenance = replace(
        result.provenance,
        parameters=_parameters(subject),
        sampler=sampler_of(subject),
        trainings=trainings,
        seed=seed,
        versions=versions(subject),
        notes=output_notes(sampler.outputs),
    )
    verdict = judge(result.claim, finding)
    return replace(result, finding=finding, verdict=verdict, provenance=provenance)


def _candidates(
    mechanism: Mechanism,
    data: Dataset | None,
    pair: Pair | None,
    attack: Attack | Sequence[Attack] | None,
    rows: tuple[int, ...],
    seed: int,
) -> list[Candidate]:
    if pair is not None:
        if data is not None or attack is not None:
            raise InvalidInput("give either a pair, or data and an attack, got both")
        domain = mechanism.domain(pair.base)
        return [Candidate("given", Pair(pair.base.within(domain), pair.neighbour, pair.target))]
    if attack is None:
        attack = automatic(mechanism, data)
    attacks = tuple(attack) if isinstance(attack, Sequence) else (attack,)
    # Fixed here, once, on D: an attack cannot widen what the learner was configured with.
    base = data if data is None else data.within(mechanism.domain(data))
    return [Candidate(name_of(a), _attacked(a, mechanism, base, k, seed)) for a in attacks for k in rows]


def _attacked(attack: Attack, mechanism: Mechanism, data: Dataset | None, rows: int, seed: int) -> Pair:
    """The attack's pair, checked: the D it was given, and exactly as many rows as it was asked for."""
    rng = default_rng(SeedSequence(seed, spawn_key=(_ATTACK_SEED, rows)))
    pair = attack(mechanism, data, rows, rng)  # type: ignore[arg-type]  # only `tight` is called without data
    name = name_of(attack)
    if data is not None and data.digest not in (pair.base.digest, pair.neighbour.digest):
        raise InvalidInput(f"{name} must keep D as one side of the pair, got a pair without it")
    if pair.rows != rows:
        raise InvalidInput(f"{name} was asked to change {rows} rows, got {pair.rows} changed; ask for fewer rows")
    return pair


def _choose(
    candidates: list[Candidate],
    mechanism: Mechanism,
    claim: Claim,
    trainings: int,
    alpha: float,
    seed: int,
    run: Run,
) -> tuple[Candidate, Sampler]:
    """The candidate to audit, and a sampler whose draws start after every pilot."""
    if len(candidates) == 1:
        only = candidates[0]
        return only, _sampler(mechanism, only.pair, seed, run, trainings)
    arm = pilot_size(trainings, len(candidates))
    left = trainings - arm * (len(candidates) + 1)

    def pilot(pair: Pair) -> Draws:
        return _sampler(mechanism, pair, seed, run, 2 * arm)(np.tile(np.array([1, 0]), arm))

    chosen, draws = choose_pair(candidates, pilot, claim.relation, left, alpha)
    sampler = _sampler(mechanism, chosen.pair, seed, run, left)
    return chosen, sampler.after(draws)


def _sampler(mechanism: Mechanism, pair: Pair, seed: int, run: Run, budget: int) -> Sampler:
    return Sampler(mechanism, pair, seed, run.engine, run.store, budget, run.progress)


def _parameters(mechanism: Mechanism) -> Mapping[str, Any]:
    described = describe(mechanism)
    return described if isinstance(described, dict) else {"type": described}
