"""Draw labelled canaries of one training, and labelled steps of many trainings."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.drawing.progress import SILENT, Progress
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.draws import Draws

_COINS, _TRAINING = 0, 1


def draw_canaries(trainer: CanaryTrainer, canaries: int, seed: int) -> Draws:
    """Train once; the label of a canary is 1 if a fair coin inserted it.

    The seed of the training says nothing about the coins, so that the training cannot guess them.
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
    """Draws the steps of fresh trainings, in order, until the budget is spent.

    Each step has a fair coin of its own. One coin for a whole training would be known after a few steps, and guesses
    at the later steps would be no evidence about a step.
    """

    trainer: StepTrainer
    seed: int
    trainings: int
    progress: Progress = SILENT
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
        """Run as many whole trainings as there are labels for."""
        wanted, steps = len(labels), self.trainer.steps
        if wanted % steps or wanted > self.remaining:
            raise InvalidInput(
                f"steps must be drawn by whole trainings of {steps}, {self.remaining} left, got {wanted}"
            )
        first = self.done * steps
        seen = [self._observe(bits == 1) for bits in labels.reshape(-1, steps)]
        return Draws(labels, np.concatenate(seen), index=np.arange(first, first + wanted))

    def _observe(self, inserted: BoolArray) -> FloatArray:
        seed = SeedSequence(self.seed, spawn_key=(_TRAINING, self.done))
        seen = np.asarray(self.trainer.observe_steps(inserted, seed), dtype=float)
        seen = seen[:, None] if seen.ndim == 1 else seen
        if seen.ndim != 2 or len(seen) != len(inserted) or not np.isfinite(seen).all():
            raise InvalidInput(
                f"a trainer must show finite numbers for each of {len(inserted)} steps, got shape {seen.shape}"
            )
        self.done += 1
        self.progress(1, 0.0)
        return seen
