"""The tables of docs/one_run.md: what a single training shows, and how often that is too much.

python benchmarks/one_run.py [trainings of each cell] [audits of mechanisms at exactly their ε]
"""

import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from scipy.special import expit

from mlaudit import Claim, Relation, one_run
from mlaudit.canaries.draws import draw_canaries
from mlaudit.canaries.protocols import CanaryTrainer
from mlaudit.procedures.one_run import OneRun
from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.trainers.gradient_canaries import GradientCanaries
from mlaudit.trainers.mislabelled_canaries import MislabelledCanaries
from mlaudit.types.arrays import BoolArray, FloatArray

ALPHA, DELTA = 0.05, 1e-5
EPSILONS = (1.0, 2.0, 4.0, 8.0)
# A simulation of sums of inner products that took the number of guesses that was best afterwards.
REFERENCE = (0.21, 0.49, 0.80, 1.11)


@dataclass(frozen=True)
class Answers:
    """Every canary by randomised response at exactly ε: no training of canaries gives more."""

    claim: Claim

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        told = default_rng(seed).random(len(included)) < expit(self.claim.epsilon)
        return np.where(told, included, ~included).astype(float)


@dataclass(frozen=True)
class NoisyAnswers:
    """Every canary with Gaussian noise at exactly (ε, δ)."""

    claim: Claim

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        noise = default_rng(seed).standard_normal(len(included))
        return np.asarray(included * float(mu_of(self.claim.epsilon, self.claim.delta)) + noise)


def shown(trainer: CanaryTrainer, repeats: int) -> FloatArray:
    return np.array([one_run(trainer, alpha=ALPHA, seed=seed).bound.epsilon for seed in range(repeats)])


def too_high(trainer: CanaryTrainer, audits: int) -> float:
    claim, wrong = trainer.claim, 0
    for seed in range(audits):
        draws = draw_canaries(trainer, 1000, seed)
        wrong += OneRun().count(draws, draws.z[:, 0], claim, 1, ALPHA).bound.epsilon > claim.epsilon
    return wrong / audits


def main() -> None:
    repeats, audits = (int(v) for v in [*sys.argv[1:], "20", "4000"][:2])
    print(f"m = 1000 canaries, 100 guessed in and 100 out, δ = {DELTA:g}, α = {ALPHA}, {repeats} trainings each\n")
    heads = [f"ε = {epsilon:g}" for epsilon in EPSILONS]
    print("| mean (lowest) bound | " + " | ".join(heads) + " | CPU seconds |")
    print("| --- |" + " --- |" * (len(heads) + 1))
    print("| reference, guesses chosen afterwards | " + " | ".join(f"{v:.2f}" for v in REFERENCE) + " | |")
    rows: list[tuple[str, type[GradientCanaries | MislabelledCanaries], str]] = [
        ("white-box, Fashion-MNIST net", GradientCanaries, "fashion_mnist"),
        ("white-box, CIFAR10 net", GradientCanaries, "cifar10"),
        ("black-box, Fashion-MNIST net, images of noise", MislabelledCanaries, "fashion_mnist"),
    ]
    for name, kind, network in rows:
        found = [shown(kind(epsilon, DELTA, network), repeats) for epsilon in EPSILONS]
        began = time.process_time()
        one_run(kind(2.0, DELTA, network))
        spent = time.process_time() - began
        cells = " | ".join(f"{bounds.mean():.2f} ({bounds.min():.2f})" for bounds in found)
        print(f"| {name} | {cells} | {spent:.2f} |", flush=True)
    print(f"\nBounds above the true ε, {audits} audits of 1000 canaries, nominal {ALPHA}:")
    exactly = Answers(Claim(1.0, relation=Relation.ADD_REMOVE)), NoisyAnswers(Claim(1.0, DELTA, Relation.ADD_REMOVE))
    for trainer in exactly:
        print(f"- {type(trainer).__name__}, {trainer.claim}: {too_high(trainer, audits):.4f}", flush=True)


if __name__ == "__main__":
    main()
