"""one_run() and white_box(): lower bounds on ε by canaries."""

from importlib.metadata import version
from typing import Any

from mlaudit.auditing.arguments import build_claiming
from mlaudit.auditing.run import MOST_TRAININGS, parameters_of
from mlaudit.canaries.draws import StepDraw, draw_canaries
from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.canaries.result import CanaryResult, Kind
from mlaudit.classifiers.logistic import Logistic
from mlaudit.drawing.progress import SILENT, Progress, ProgressFunction, as_progress
from mlaudit.drawing.threads import one_thread
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.naming.versions import library_of, versions
from mlaudit.procedures._guessing import guess_progressively
from mlaudit.procedures.gdp_accuracy import ALL
from mlaudit.procedures.one_run import OneRun
from mlaudit.statistics import gaussian_dp
from mlaudit.statistics.subsampled_gaussian import epsilon_of
from mlaudit.types.checks import instance, kind_of, real, whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.finding import Bound, GuessCounts
from mlaudit.types.numbers import parameter

_MOST_CANARIES = 10**6
_FEWEST_STEPS = 40  # fewer show nothing
_NEEDED: dict[type[Any], str] = {
    CanaryTrainer: "a claim and scores(included, seed)",
    StepTrainer: "claim, steps, rate, observe_steps(inserted, seed)",
}
_BLOCKS = 8  # of steps; the rule for each is learned from all blocks before it


def one_run(
    trainer: CanaryTrainer | str,
    *,
    canaries: int = 1000,
    procedure: OneRun | None = None,
    claim: Claim | None = None,
    alpha: float = 0.05,
    seed: int = 0,
) -> CanaryResult:
    """Audit a single training run with randomly inserted canaries.

    Each canary is inserted with probability 1/2. After training, the procedure guesses which canaries were inserted;
    many correct guesses imply a large ε (Steinke, Nasr and Jagielski, 2023).

    Args:
        trainer: An object with a claim and scores(included, seed), or a name of `mlaudit list trainers`, which is
            built with the ε and δ of the claim.
        canaries: The number of canaries. More canaries give a tighter bound until they disturb each other.
        procedure: How many canaries are guessed, fixed before any score is seen. Default: `OneRun()`.
        claim: The claim to audit, under add-remove. Default: the trainer's own.
        alpha: The bound is above the true ε with at most this probability.
        seed: Seed of the coin flips and of the training.

    Returns:
        The lower bound on ε, the number of correct guesses, and the claim.

    Raises:
        InvalidInput: If an argument has a wrong value, or if the claim is under another relation than add-remove.
        UnknownName: If no trainer has the given name.

    Example:
        >>> from numpy.random import default_rng
        >>> class NoisyAttendance:
        ...     claim = Claim(1.0, relation=Relation.ADD_REMOVE)
        ...     def scores(self, included, seed):  # Laplace noise on the insertions: ε = 1
        ...         return included + default_rng(seed).laplace(0.0, 1.0, len(included))
        >>> result = one_run(NoisyAttendance(), canaries=20_000)
        >>> 0.7 < result.epsilon_lower < 1.2
        True
    """
    # Fails for a correct program with probability < 1e-6: the bound is 0.95, with a deviation of 0.028 (of 20 seeds).
    trainer = build_claiming("trainers", trainer, claim) if isinstance(trainer, str) else trainer
    claim = _check_claim(trainer, CanaryTrainer, claim, alpha, seed)
    whole("canaries", canaries, 10, "more canaries show more", _MOST_CANARIES)
    if procedure is not None:
        instance("procedure", procedure, OneRun, "as in procedure=OneRun(share_in=0.2)")
    with one_thread():
        draws = draw_canaries(trainer, canaries, seed)
    finding = (procedure or OneRun()).count(draws, draws.z[:, 0], claim, 1, alpha)
    counts = finding.evidence
    assert isinstance(counts, GuessCounts)  # noqa: S101 - what OneRun counts
    return _make_result("one run", trainer, claim, finding.bound, counts, 1, seed)


def white_box(
    trainer: StepTrainer | str,
    *,
    trainings: int = 200,
    claim: Claim | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    progress: ProgressFunction | None = None,
) -> CanaryResult:
    """Audit DP-SGD by the noisy gradient sum of every step, with a canary in each sum with probability 1/2.

    If a step is μ-Gaussian DP for a record that joins it with certainty, then a guess whether the canary was in the
    sum is correct with probability at most Φ(μ/2), given all earlier steps. So the number of correct guesses bounds
    μ. Composition at the trainer's stated sampling rate gives the ε of all steps. The guessing rule is learned from
    earlier steps only.

    Args:
        trainer: An object with a claim, steps, rate and observe_steps(inserted, seed), or a name of `mlaudit list
            trainers`, which is built with the ε and δ of the claim.
        trainings: The number of trainings whose steps are observed.
        claim: The claim to audit, under add-remove and with δ above 0. Default: the trainer's own.
        alpha: The bound is above the true ε with at most this probability.
        seed: Seed of the coin flips and of the trainings.
        progress: A function of (trainings, cpu_seconds), called for every training.

    Returns:
        The lower bound on ε, the bound on the noise of one step, and the number of correct guesses.

    Raises:
        InvalidInput: If an argument has a wrong value, if the claim is under another relation than add-remove or has
            no δ, or if there are too few steps.
        UnknownName: If no trainer has the given name.
        MissingExtra: If dp-accounting is not installed.

    Example:
        >>> from numpy.random import default_rng
        >>> class NoisySteps:  # one step of Gaussian noise in which every record takes part: μ = 1
        ...     claim, steps, rate = Claim(4.4, 1e-5, Relation.ADD_REMOVE), 1, 1.0
        ...     def observe_steps(self, inserted, seed):
        ...         return inserted + default_rng(seed).normal(0.0, 1.0, len(inserted))
        >>> white_box(NoisySteps(), trainings=400, alpha=1e-6).violated
        False
    """
    # Fails for a correct program with probability < 1e-6: its α.
    trainer = build_claiming("trainers", trainer, claim) if isinstance(trainer, str) else trainer
    claim = _check_claim(trainer, StepTrainer, claim, alpha, seed)
    whole("trainings", trainings, 1, high=MOST_TRAININGS)
    notify = as_progress(progress)
    if claim.delta == 0:
        raise InvalidInput("steps with Gaussian noise need a claim with delta above 0, got 0; give delta")
    steps, rate = whole("steps", trainer.steps, 1), real("rate", trainer.rate, 0, 1 + 1e-12)
    if trainings * steps < _FEWEST_STEPS:
        raise InvalidInput(f"there must be {_FEWEST_STEPS} steps or more in all, got {trainings * steps}; train more")
    counts, mu, top = bound_step_mu(trainer, trainings, alpha, seed, notify)
    found, ceiling = (epsilon_of(m, rate, steps, claim.delta, rounded_up=False) for m in (mu, top))
    assuming = f"the subsampled Gaussian at the stated sampling rate of {parameter(rate)}"
    bound = Bound(found, ceiling, alpha, 1, "accuracy of a step, composed", assuming)
    return _make_result("white box", trainer, claim, bound, counts, trainings, seed, mu)


def bound_step_mu(
    trainer: StepTrainer, trainings: int, alpha: float, seed: int, progress: Progress | None = None
) -> tuple[GuessCounts, float, float]:
    """Guess the coins of steps; returns the counts, the lower bound on μ of a step, and its ceiling."""
    with one_thread():
        draw = StepDraw(trainer, seed, trainings, progress or SILENT)
        made = guess_progressively(draw, (Logistic(),), None, _BLOCKS, ALL)
    correct, guesses = int(made.correct[0]), int(made.guesses[0])
    mu, top = gaussian_dp.mu_lower_bound([correct, guesses], [guesses, guesses], alpha).tolist()
    return GuessCounts((correct,), (guesses,)), mu, top


def _check_claim(trainer: Any, kind: type[Any], claim: Claim | None, alpha: float, seed: int) -> Claim:
    """The claim to audit; refuses a trainer or a claim that canaries cannot audit."""
    if not isinstance(trainer, kind) or isinstance(trainer, type):
        raise InvalidInput(f"the trainer must have {_NEEDED[kind]}, got {kind_of(trainer)}")
    real("alpha", alpha, 0, 1)
    whole("seed", seed, 0)
    claim = instance("claim", trainer.claim if claim is None else claim, Claim, "as in claim=Claim(1.0)")
    if claim.relation is not Relation.ADD_REMOVE:
        raise InvalidInput(
            f"a canary is a record more or less: the claim must be add-remove, got {claim.relation.value}; "
            "state the ε of add-remove"
        )
    if claim.unit is not None or getattr(getattr(trainer, "data", None), "units", None) is not None:
        raise InvalidInput(
            "a canary is one record, not all rows of a unit: the data must have no units, got some; leave them out"
        )
    return claim


def _make_result(
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
