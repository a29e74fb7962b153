"""Turn a violation into something to paste into an issue: a minimal pair, an explanation, a script."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.adapters.convert import as_mechanism
from mlaudit.auditing.arguments import check_engine
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.progress import ProgressFunction, as_progress
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import AuditError
from mlaudit.protocols import Engine, Mechanism
from mlaudit.results.audit_result import AuditResult
from mlaudit.samplers.sampled import unwrap_sampled
from mlaudit.types.checks import instance, whole
from mlaudit.types.differences import differences
from mlaudit.types.numbers import bound as show_bound
from mlaudit.witness.event import find_event, trainings_needed
from mlaudit.witness.explain import Explanation, explain_violation
from mlaudit.witness.script import write_script
from mlaudit.witness.shrink import MinimalPair, PairTester, shrink_pair

_EXPLAINED_ON = (100, 1000)  # the fewest and the most trainings of each side that an explanation reads


@dataclass(frozen=True, eq=False)
class MinimalWitness:
    """The smallest pair found, its explanation, and the script; or the obstacle to a script."""

    mechanism: Mechanism
    minimal: MinimalPair
    explanation: Explanation
    script: str
    obstacle: str = ""
    claimed: float | None = None

    def summary(self) -> dict[str, Any]:
        """The witness as plain data."""
        pair, bound = self.minimal.pair, self.minimal.bound
        return {
            "rows": len(pair.base),
            "columns": pair.base.X.shape[1],
            "epsilon_lower": bound.epsilon,
            "trainings": self.minimal.trainings,
            "differences": differences(pair),
            "explanation": list(self.explanation.sentences),
            "script": self.script,
        }

    def lines(self) -> list[str]:
        """The witness in words."""
        pair, bound = self.minimal.pair, self.minimal.bound
        rows, columns = pair.base.X.shape
        size = f"{rows} row{'s' * (rows > 1)} × {columns} column{'s' * (columns > 1)}"
        shown = f"ε of at least {show_bound(bound.epsilon, self.claimed)} on fresh trainings"
        missing = [f"No script: {self.obstacle}."] if self.obstacle else []
        return [f"D has {size}: {shown}.", *differences(pair), *self.explanation.sentences, *missing]


def minimal_witness(
    result: AuditResult,
    mechanism: Any,
    *,
    trainings: int | None = None,
    seed: int | None = None,
    engine: Engine | None = None,
    progress: ProgressFunction | None = None,
) -> MinimalWitness | None:
    """Shrink a violation to a minimal pair, explain it, and write it as a script.

    Args:
        result: The result that refutes the claim.
        mechanism: The audited mechanism, function or estimator. It is trained by its own fit, never by a sampler.
        trainings: The most trainings to spend; by default as many as the audit had.
        seed: Seed of the trainings; by default the audit's plus one.
        engine: Runs the trainings.
        progress: Called after every block of trainings.

    Returns:
        The minimal witness; None if the result does not refute the claim, or so many trainings do not show it again.

    Raises:
        InvalidInput: If an argument is not what it should be.

    Example:
        >>> from mlaudit.auditing.call import audit
        >>> from mlaudit.mechanisms.laplace import Laplace
        >>> minimal_witness(audit(Laplace(1.0), trainings=500, rows=1, alpha=1e-6), Laplace(1.0)) is None
        True
    """
    # The example fails for a correct program with probability < 1e-6, its alpha.
    instance("result", result, AuditResult, "give what audit() returned, or load(path)")
    mechanism = unwrap_sampled(as_mechanism(mechanism, result.claim))
    budget = result.provenance.trainings if trainings is None else whole("trainings", trainings, 1)
    fresh = result.provenance.seed + 1 if seed is None else whole("seed", seed, 0)
    workers = LokyEngine() if engine is None else check_engine(engine)
    notify = as_progress(progress)
    if not result.violated:
        return None
    tester = PairTester(
        mechanism,
        result.claim,
        result.finding.bound.alpha,
        budget,
        fresh,
        workers,
        notify,
    )
    with one_thread():
        small = shrink_pair(tester, result.pair)
        return None if small is None else _write_witness(mechanism, small, tester)


def _write_witness(mechanism: Mechanism, small: MinimalPair, tester: PairTester) -> MinimalWitness:
    pair, claim = small.pair, tester.claim
    each = int(np.clip(small.trainings // 10, *_EXPLAINED_ON))
    sampler = Sampler(mechanism, pair, tester.fresh_seed(), tester.loop(), 4 * each)
    labels = np.tile(np.array([1, 0]), each)
    learned, fresh = sampler(labels), sampler(labels)
    event = find_event(learned, fresh)
    explanation = explain_violation(mechanism, pair, claim, fresh, event, small.bound, tester.seed)
    needed = trainings_needed(event, pair.steps(claim.relation) * claim.epsilon)
    if needed is None:
        why = "no single set of outputs shows it in 20 000 trainings"
        return MinimalWitness(mechanism, small, explanation, "", why, claim.epsilon)
    try:
        script = write_script(mechanism, pair, claim, event, needed)
    except AuditError as error:  # a lambda, say: nothing to import
        return MinimalWitness(mechanism, small, explanation, "", str(error), claim.epsilon)
    return MinimalWitness(mechanism, small, explanation, script, claimed=claim.epsilon)
