"""From a violation to what a maintainer can paste into an issue: a minimal pair, a script, an explanation."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.adapters.convert import as_mechanism
from mlaudit.adapters.fast import plain
from mlaudit.engines.joblib_engine import JoblibEngine
from mlaudit.errors import AuditError
from mlaudit.parts import the_engine, the_progress
from mlaudit.protocols import Engine, Mechanism
from mlaudit.report.differences import differences
from mlaudit.report.numbers import bound as shown_bound
from mlaudit.sampling import Progress, Sampler
from mlaudit.searching.event import best_event, trainings_needed
from mlaudit.searching.explaining import Explanation, explained
from mlaudit.searching.script import script_of
from mlaudit.searching.shrinking import Shrunk, Trials, shrunk
from mlaudit.stores.memory import MemoryStore
from mlaudit.threads import one_thread
from mlaudit.types.checks import instance, whole
from mlaudit.types.result import AuditResult

_LOOKED_AT = (100, 1000)  # trainings of each side that an explanation reads, at least and at most


@dataclass(frozen=True, eq=False)
class MinimalWitness:
    """The smallest pair found, what fresh trainings showed of it, and the script; or what stood in its way."""

    mechanism: Mechanism
    shrunk: Shrunk
    explanation: Explanation
    script: str
    obstacle: str = ""
    claimed: float | None = None

    def summary(self) -> dict[str, Any]:
        """As plain data."""
        pair, bound = self.shrunk.pair, self.shrunk.bound
        return {
            "rows": len(pair.base),
            "columns": pair.base.X.shape[1],
            "epsilon_lower": bound.epsilon,
            "trainings": self.shrunk.trainings,
            "differences": differences(pair),
            "explanation": list(self.explanation.sentences),
            "script": self.script,
        }

    def lines(self) -> list[str]:
        """In words."""
        pair, bound = self.shrunk.pair, self.shrunk.bound
        rows, columns = pair.base.X.shape
        size = f"{rows} row{'s' * (rows > 1)} × {columns} column{'s' * (columns > 1)}"
        shown = f"ε of at least {shown_bound(bound.epsilon, self.claimed)} on fresh trainings"
        missing = [f"No script: {self.obstacle}."] if self.obstacle else []
        return [f"D has {size}: {shown}.", *differences(pair), *self.explanation.sentences, *missing]


def minimal_witness(
    result: AuditResult,
    mechanism: Any,
    *,
    trainings: int | None = None,
    seed: int | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> MinimalWitness | None:
    """Shrink a violation, on at most `trainings` (default: as many as the audit had) of the mechanism's own fit.

    None where the claim is not refuted, or where so many trainings of the plain mechanism do not show it again.
    """
    instance("result", result, AuditResult, "give what audit() returned, or load(path)")
    subject = plain(as_mechanism(mechanism, result.claim))
    budget = result.provenance.trainings if trainings is None else whole("trainings", trainings, 1)
    fresh = result.provenance.seed + 1 if seed is None else whole("seed", seed, 0)
    workers = JoblibEngine() if engine is None else the_engine(engine)
    told = the_progress(progress)
    if result.verdict != "violation":
        return None
    trials = Trials(
        subject,
        result.claim,
        result.finding.bound.alpha,
        budget,
        fresh,
        workers,
        told,
    )
    with one_thread():
        small = shrunk(trials, result.pair)
        return None if small is None else _told(subject, small, trials)


def _told(mechanism: Mechanism, small: Shrunk, trials: Trials) -> MinimalWitness:
    pair, claim = small.pair, trials.claim
    each = int(np.clip(small.trainings // 10, *_LOOKED_AT))
    sampler = Sampler(mechanism, pair, trials.fresh_seed(), trials.engine, MemoryStore(), 4 * each, trials.progress)
    labels = np.tile(np.array([1, 0]), each)
    learned, fresh = sampler(labels), sampler(labels)
    event = best_event(learned, fresh)
    told = explained(mechanism, pair, claim, fresh, event, small.bound, trials.seed)
    needed = trainings_needed(event, pair.steps(claim.relation) * claim.epsilon)
    if needed is None:
        why = "no single set of outputs shows it in 20 000 trainings"
        return MinimalWitness(mechanism, small, told, "", why, claim.epsilon)
    try:
        script = script_of(mechanism, pair, claim, event, needed)
    except AuditError as error:  # a lambda, say: nothing to import
        return MinimalWitness(mechanism, small, told, "", str(error), claim.epsilon)
    return MinimalWitness(mechanism, small, told, script, claimed=claim.epsilon)
