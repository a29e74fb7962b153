"""The contract of a trainer that takes canaries: seeded, blind to who is in but for its output, and add-remove."""

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.stats import mannwhitneyu

from mlaudit.canaries.draws import read_steps
from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.drawing.outcome import as_numbers
from mlaudit.testing.checks import Check, check
from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.checks import kind_of, quote, whole
from mlaudit.types.claim import Claim, Relation

_RARE = 1e-9  # how often scores that say nothing look as if they pointed the wrong way


def check_trainer(trainer: CanaryTrainer | StepTrainer, *, canaries: int = 200, seed: int = 0) -> list[Check]:
    """Check a trainer of canaries against what mlaudit expects of it.

    Args:
        trainer: A trainer with `scores` (one-run audits), with `observe_steps` (white-box audits), or with both.
        canaries: How many canaries `scores` is tried with.
        seed: Seed of the coins and of the trainings.

    Returns:
        One check for each expectation. A correct trainer fails with probability below 1e-8.

    Example:
        >>> from mlaudit.trainers.logistic_sgd import LogisticSgd
        >>> trainer = LogisticSgd(steps=4, parameters=300, noise=1.0)
        >>> [str(result) for result in check_trainer(trainer) if not result.passed]
        []
    """
    included = default_rng(SeedSequence(seed, spawn_key=(0,))).integers(0, 2, canaries) == 1
    checks = [check("it states a claim for one record added or removed", lambda: _find_other_claim(trainer))]
    if callable(getattr(trainer, "scores", None)):
        checks += _check_scores(trainer, included, seed)  # type: ignore[arg-type]
    if callable(getattr(trainer, "observe_steps", None)):
        checks += _check_steps(trainer, seed)  # type: ignore[arg-type]
    return checks


def _find_other_claim(trainer: object) -> str:
    claim = getattr(trainer, "claim", None)
    if not isinstance(claim, Claim):
        return f"its claim is {kind_of(claim)}; state Claim(epsilon, delta, Relation.ADD_REMOVE)"
    if not {"scores", "observe_steps"} & set(dir(trainer)):
        return "it has neither scores nor observe_steps; write scores(self, included, seed)"
    if claim.relation is not Relation.ADD_REMOVE:
        return f"its claim is {claim.relation.value}; a canary is one record more, so state the ε of add-remove"
    return ""


def _check_scores(trainer: CanaryTrainer, included: BoolArray, seed: int) -> list[Check]:
    def score(inside: BoolArray, training: int = 1) -> FloatArray:
        return as_numbers(trainer.scores(inside.copy(), SeedSequence(seed, spawn_key=(training,))))

    def find_bad() -> str:
        scores = score(included)
        if scores.shape != included.shape:
            return f"{len(included)} canaries gave scores of shape {scores.shape}; return one score for each canary"
        return "" if not np.isnan(scores).any() else "a score is NaN; return a number for each canary"

    def find_written() -> str:
        given = included.copy()
        trainer.scores(given, SeedSequence(seed))
        return "" if np.array_equal(given, included) else "`included` was changed in place; work on a copy"

    def find_blind() -> str:
        none, every = score(np.zeros_like(included)), score(np.ones_like(included))
        same = np.array_equal(none, every)
        return "" if not same else "the scores are the same with no canary and with all; train on those that are in"

    def find_turned() -> str:
        scores = score(included)
        by_chance = mannwhitneyu(scores[included], scores[~included], alternative="less").pvalue
        return "" if by_chance > _RARE else "canaries that are in score lower; turn the sign of the scores"

    return [
        check("every canary has one score", find_bad),
        check("the same seed gives the same scores", lambda: _find_unrepeated(score(included), score(included))),
        check("another seed gives other scores", lambda: _find_unseeded(score(included), score(included, 2))),
        check("it leaves `included` as it is", find_written),
        check("scores depend on who is in", find_blind),
        check("canaries that are in do not score lower", find_turned),
    ]


def _check_steps(trainer: StepTrainer, seed: int) -> list[Check]:
    def observe(inserted: BoolArray, training: int = 1) -> FloatArray:
        shown = trainer.observe_steps(inserted, SeedSequence(seed, spawn_key=(training,)))
        rows = read_steps(shown)
        return as_numbers(shown) if rows is None else rows

    def every_other_step() -> BoolArray:
        return np.asarray(np.arange(trainer.steps) % 2 == 0)

    def find_bad() -> str:
        seen = observe(every_other_step())
        if seen.ndim != 2 or len(seen) != trainer.steps:
            return (
                f"{trainer.steps} steps gave an array of shape {seen.shape}; return a number or a row for each step"
            )
        return "" if np.isfinite(seen).all() else "a step gave NaN or infinity; return finite numbers"

    def find_foresight() -> str:
        """A canary in the last step alone must leave the steps before it as they are."""
        last = np.arange(trainer.steps) == trainer.steps - 1
        without, with_it = observe(np.zeros_like(last)), observe(last)
        if not np.array_equal(without[:-1], with_it[:-1]):
            return "a canary in the last step changed what earlier steps show; show each step what came before it"
        same = np.array_equal(without[-1], with_it[-1])
        return "" if not same else "a canary in the last step changed nothing there; put it into the sum of its step"

    return [
        check("it states its steps and its sampling rate", lambda: _find_misstated_steps(trainer)),
        check("every step shows finite numbers", find_bad),
        check(
            "the same seed gives the same steps",
            lambda: _find_unrepeated(observe(every_other_step()), observe(every_other_step())),
        ),
        check(
            "another seed gives other steps",
            lambda: _find_unseeded(observe(every_other_step()), observe(every_other_step(), 2)),
        ),
        check("a step depends on no later canary", find_foresight),
    ]


def _find_misstated_steps(trainer: StepTrainer) -> str:
    whole("steps", trainer.steps, 1, "state how many steps a training has")
    if not 0 < trainer.rate <= 1:
        return f"its sampling rate is {quote(trainer.rate)}; state the probability that a record joins a step"
    return "" if trainer.claim.delta > 0 else "its claim has δ = 0; Gaussian noise needs a δ above 0"


def _find_unrepeated(first: FloatArray, second: FloatArray) -> str:
    return (
        ""
        if np.array_equal(first, second)
        else "two trainings with one seed differ; take all randomness from the seed"
    )


def _find_unseeded(first: FloatArray, second: FloatArray) -> str:
    return (
        ""
        if not np.array_equal(first, second)
        else f"two seeds gave {quote(first.ravel()[:3].tolist())}; use the seed"
    )
