"""The tables of docs/white_box.md: how near the truth watched steps come, and how often they go beyond it.

python benchmarks/white_box.py [audits of each ε] [audits for validity]
"""

import sys
import time

import numpy as np
from numpy.random import default_rng
from shuffled_batches import PAIR, ShuffledBatches

from mlaudit import audit, white_box
from mlaudit.canaries.run import bound_step_mu
from mlaudit.procedures.sequential import Sequential
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.trainers.gradient_canaries import GradientCanaries
from mlaudit.trainers.logistic_sgd import LogisticSgd

ALPHA, DELTA = 0.05, 1e-5


def tightness(repeats: int) -> None:
    print("| claimed ε | bound, mean of audits | least | share of the claim | noise | CPU seconds an audit |")
    print("| --- | --- | --- | --- | --- | --- |")
    for epsilon in (1.0, 2.0, 4.0, 8.0):
        trainer, began = GradientCanaries(epsilon, DELTA), time.process_time()
        found = np.array([white_box(trainer, alpha=ALPHA, seed=seed).bound.epsilon for seed in range(repeats)])
        spent = (time.process_time() - began) / repeats
        share = f"{found.mean() / epsilon:.3f}"
        row = f"{found.mean():.3f} | {found.min():.3f} | {share} | {trainer.noise:.3f} | {spent:.1f}"
        print(f"| {epsilon:g} | {row} |", flush=True)


def validity(audits: int) -> None:
    """The truth is the noise itself: a bound on ε is too high just where that on a step's μ is."""
    print(f"\nBounds above the truth, {audits} audits of 10 trainings, nominal {ALPHA}:")
    for noise in (4.0, 1.0, 0.5):
        trainer = LogisticSgd(noise=noise, parameters=5)
        wrong = sum(bound_step_mu(trainer, 10, ALPHA, seed)[1] > 1 / noise for seed in range(audits))
        print(f"- noise {noise:g}: {wrong / audits:.4f}", flush=True)


def shuffled() -> None:
    print(
        "\n| batches × epochs, noise | accounted as Poisson | true δ at that ε | sequential, 300 | two_phase, 2000 |"
    )
    print("| --- | --- | --- | --- | --- |")
    for batches, epochs, noise, delta in (
        (10, 1, 1.0, DELTA),
        (10, 10, 1.386, DELTA),
        (10, 10, 1.386, 1e-3),
        (10, 1, 0.2, 0.6),
    ):
        trainer = ShuffledBatches(batches, epochs, noise)
        claim = trainer.claim(delta)
        true = trainer.delta(claim.epsilon, default_rng(0))
        verdicts = [
            audit(trainer, pair=PAIR, claim=claim, procedure=procedure, trainings=n, seed=0).verdict
            for procedure, n in ((Sequential(), 300), (TwoPhase(), 2000))
        ]
        print(f"| {batches} × {epochs}, {noise:g} | {claim} | {true:.2g} | {' | '.join(verdicts)} |", flush=True)


def main() -> None:
    repeats, audits = (int(v) for v in [*sys.argv[1:], "5", "300"][:2])
    print(
        f"200 trainings of 100 steps at a sampling rate of 0.1, δ = {DELTA:g}, α = {ALPHA}, {repeats} audits each\n"
    )
    tightness(repeats)
    validity(audits)
    shuffled()


if __name__ == "__main__":
    main()
