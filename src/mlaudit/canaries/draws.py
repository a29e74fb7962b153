"""Draw labelled canaries of one training, and labelled steps of many trainings."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import ArrayLike

from mlaudit.canaries.protocols import CanaryTrainer, StepTrainer
from mlaudit.drawing.progress import SILENT, Progress
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.draws import Draws
from mlaudit.types.outputs import read_numbers

_COINS, _TRAINING = 0, 1


def draw_canaries(trainer: CanaryTrainer, canaries: int, seed: int) -> Draws:
    """Train once; the label of a canary is 1 if a fair coin inserted it.

    The seed of the training says nothing about the coins, so that the training cannot guess them.
    """
    coins = default_rng(SeedSequence(seed, spawn_key=(_COINS,))).integers(0, 2, canaries)
    seen = read_numbers(trainer.scores(coins == 1, SeedSequence(seed, spawn_key=(_TRAINING,))))
    if seen is None or seen.shape != (canaries,) or np.isnan(seen).any():
        got = "something else than numbers" if seen is None else f"shape {seen.shape}"
        raise InvalidInput(f"a trainer must return one score for each of {canaries} canaries and no NaN, got {got}")
    return Draws(coins, seen[:, None])


def read_steps(shown: ArrayLike) -> FloatArray | None:
    """Return what each step shows as a row of numbers, or None if it is something else.

    >>> read_steps([1 + 2j, 3.0]).tolist()
    [[1.0, 2.0], [3.0, 0.0]]
    """
    rows = np.asarray(shown)
    return read_numbers(rows[:, None] if rows.ndim == 1 else rows)


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
        seen = read_steps(self.trainer.observe_steps(inserted, seed))
        if seen is None or seen.ndim != 2 or len(seen) != len(inserted) or not np.isfinite(seen).all():
            got = "something else than numbers" if seen is None else f"shape {seen.shape}"
            raise InvalidInput(f"a trainer must show finite numbers for each of {len(inserted)} steps, got {got}")
        self.done += 1
        self.progress(1, 0.0)
        return seen
