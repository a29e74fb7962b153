"""one_run() and white_box(): from a trainer that takes canaries to a bound."""

from importlib.metadata import version
from typing import Any

from mlaudit import gaussian_dp
from mlaudit.adapters.convert import mechanism_name
from mlaudit.auditing import MOST_TRAININGS, parameters_of
from mlaudit.canaries.draws import StepDraw, canaries_of
from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.canaries.result import CanaryResult, Kind
from mlaudit.classifiers.logistic import Logistic
from mlaudit.errors import InvalidInput
from mlaudit.parts import the_progress
from mlaudit.procedures._guessing import guess_progressively
from mlaudit.procedures.gdp_accuracy import ALL
from mlaudit.procedures.one_run import OneRun
from mlaudit.sampling import Progress
from mlaudit.subsampled_gaussian import epsilon_of
from mlaudit.threads import one_thread
from mlaudit.types.checks import instance, kind_of, real, whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.finding import Bound, GuessCounts
from mlaudit.versions import library_of, versions

_MOST_CANARIES = 10**6
_FEWEST_STEPS = 40  # below, nothing could be shown
_BLOCKS = 8  # of steps, each guessed by what was learned from all before it


def one_run(
    trainer: CanaryTrainer,
    *,
    canaries: int = 1000,
    procedure: OneRun | None = None,
    claim: Claim | None = None,
    alpha: float = 0.05,
    seed: int = 0,
) -> CanaryResult:
    """State a lower bound on ε from a single training with many canaries, each in or out by a fair coin.

    How many are guessed is part of the `procedure`, and so fixed before any score is seen.

    >>> from numpy.random import default_rng
    >>> class NoisyAttendance:
    ...     claim = Claim(1.0, relation=Relation.ADD_REMOVE)
    ...     def scores(self, included, seed):  # Laplace noise on who is in: ε = 1
    ...         return included + default_rng(seed).laplace(0.0, 1.0, len(included))
    >>> result = one_run(NoisyAttendance(), canaries=20_000)
    >>> 0.7 < result.bound.epsilon < 1.2
    True
    """
    # Fails for a correct program with probability < 1e-6: the bound is 0.95, with a deviation of 0.028 (of 20 seeds).
    promised = _checked(trainer, CanaryTrainer, claim, alpha, seed)
    whole("canaries", canaries, 10, "more canaries show more", _MOST_CANARIES)
    if procedure is not None:
        instance("procedure", procedure, OneRun, "as in procedure=OneRun(share_in=0.2)")
    with one_thread():
        draws = canaries_of(trainer, canaries, seed)
    finding = (procedure or OneRun()).count(draws, draws.z[:, 0], promised, 1, alpha)
    counts = finding.evidence
    assert isinstance(counts, GuessCounts)  # noqa: S101 - what OneRun counts
    return _result("one run", trainer, promised, finding.bound, counts, 1, seed)


def white_box(
    trainer: StepTrainer,
    *,
    trainings: int = 200,
    claim: Claim | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> CanaryResult:
    """State a lower bound on ε from the steps of a few trainings, each with a canary in its sum by a fair coin.

    Given everything before it, a guess at a step's coin is right with probability at most Φ(μ/2), where the step is
    μ-Gaussian DP for a record that surely joins. So the right guesses bound μ, and the ε of all steps follows from
    the trainer's own sampling rate by composition. The rule that guesses is learned from earlier steps only.

    >>> white_box(object())
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: the trainer must have a claim and watch(inserted, seed), steps and rate, got object
    """
    promised = _checked(trainer, StepTrainer, claim, alpha, seed)
    whole("trainings", trainings, 1, high=MOST_TRAININGS)
    told = the_progress(progress)
    if promised.delta == 0:
        raise InvalidInput("steps with Gaussian noise need a claim with delta above 0, got 0; give delta")
    steps, rate = whole("steps", trainer.steps, 1), real("rate", trainer.rate, 0, 1 + 1e-12)
    if trainings * steps < _FEWEST_STEPS:
        raise InvalidInput(f"there must be {_FEWEST_STEPS} steps or more in all, got {trainings * steps}; train more")
    counts, mu, top = watched(trainer, trainings, alpha, seed, told)
    found, ceiling = (epsilon_of(m, rate, steps, promised.delta, rounded_up=False) for m in (mu, top))
    assuming = f"the subsampled Gaussian at the stated sampling rate of {rate:g}"
    bound = Bound(found, ceiling, alpha, 1, "accuracy of a step, composed", assuming)
    return _result("white box", trainer, promised, bound, counts, trainings, seed, mu)


def watched(
    trainer: StepTrainer, trainings: int, alpha: float, seed: int, progress: Progress | None = None
) -> tuple[GuessCounts, float, float]:
    """Right guesses at the coins of steps, the lower bound on a step's μ, and the highest that it could have been."""
    with one_thread():
        draw = StepDraw(trainer, seed, trainings, progress or (lambda *_: None))
        made = guess_progressively(draw, (Logistic(),), None, _BLOCKS, ALL)
    correct, guesses = int(made.correct[0]), int(made.guesses[0])
    mu, top = gaussian_dp.mu_lower([correct, guesses], [guesses, guesses], alpha).tolist()
    return GuessCounts((correct,), (guesses,)), mu, top


def _checked(trainer: Any, kind: type[Any], claim: Claim | None, alpha: float, seed: int) -> Claim:
    """The claim that the trainer is held against."""
    if not isinstance(trainer, kind) or isinstance(trainer, type):
        wanted = "scores(included, seed)" if kind is CanaryTrainer else "watch(inserted, seed), steps and rate"
        raise InvalidInput(f"the trainer must have a claim and {wanted}, got {kind_of(trainer)}")
    real("alpha", alpha, 0, 1)
    whole("seed", seed, 0)
    promised = instance("claim", trainer.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    if promised.relation is not Relation.ADD_REMOVE:
        raise InvalidInput(
            f"a canary is a record more or less: the claim must be add-remove, got {promised.relation.value}; "
            "state the ε of add-remove"
        )
    return promised


def _result(
    kind: Kind,
    trainer: Any,
    claim: Claim,
    bound: Bound,
    counts: GuessCounts,
    trainings: int,
    seed: int,
    mu: float | None = None,
) -> CanaryResult:
    made = mechanism_name(trainer), parameters_of(trainer)
    accounted = {} if mu is None else {"dp-accounting": version("dp-accounting")}
    found = {**versions(trainer), **accounted}, library_of(trainer)
    return CanaryResult(kind, *made, claim, bound, counts, trainings, seed, *found, mu)
