"""Canaries of one training, and steps of many, as labelled draws."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.errors import InvalidInput
from mlaudit.sampling import Progress
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.draws import Draws

_COINS, _TRAINING = 0, 1


def canaries_of(trainer: CanaryTrainer, canaries: int, seed: int) -> Draws:
    """One training; label 1 for each canary that a fair coin put in.

    The coins come from a stream that the training does not get, so that it cannot guess them.
    """
    coins = default_rng(SeedSequence(seed, spawn_key=(_COINS,))).integers(0, 2, canaries)
    seen = np.asarray(trainer.scores(coins == 1, SeedSequence(seed, spawn_key=(_TRAINING,))), dtype=float)
    if seen.shape != (canaries,) or np.isnan(seen).any():
        raise InvalidInput(
            f"a trainer must return one score for each of {canaries} canaries and no NaN, got shape {seen.shape}"
        )
    return Draws(coins, seen[:, None])


@dataclass
class StepDraw:
    """Steps of fresh trainings, in order: a budget's worth of them.

    Each step has a fair coin of its own. A coin for a whole training would be known after a few of its steps, and
    guesses at the later ones would be no evidence about a step.
    """

    trainer: StepTrainer
    seed: int
    trainings: int
    progress: Progress = lambda *_: None
    pilot: Draws | None = None
    done: int = 0

    @property
    def remaining(self) -> int:
        """How many steps are left."""
        return (self.trainings - self.done) * self.trainer.steps

    def coins(self, n: int) -> IntArray:
        """Fair coin flips for the next n steps, independent of every training."""
        return default_rng(SeedSequence(self.seed, spawn_key=(_COINS, self.done))).integers(0, 2, n)

    def __call__(self, labels: IntArray) -> Draws:
        """As many whole trainings as the labels are for."""
        wanted, steps = len(labels), self.trainer.steps
        if wanted % steps or wanted > self.remaining:
            raise InvalidInput(
                f"steps must be drawn by whole trainings of {steps}, {self.remaining} left, got {wanted}"
            )
        seen = [self._training(bits == 1) for bits in labels.reshape(-1, steps)]
        return Draws(labels, np.concatenate(seen))

    def _training(self, inserted: BoolArray) -> FloatArray:
        seed = SeedSequence(self.seed, spawn_key=(_TRAINING, self.done))
        seen = np.asarray(self.trainer.watch(inserted, seed), dtype=float)
        seen = seen[:, None] if seen.ndim == 1 else seen
        if seen.ndim != 2 or len(seen) != len(inserted) or not np.isfinite(seen).all():
            raise InvalidInput(
                f"a trainer must show finite numbers for each of {len(inserted)} steps, got shape {seen.shape}"
            )
        self.done += 1
        self.progress(1, 0.0)
        return seen
