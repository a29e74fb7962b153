"""The protocols of trainers that canaries can audit."""

from typing import Protocol, runtime_checkable

from numpy.random import SeedSequence

from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.claim import Claim


@runtime_checkable
class CanaryTrainer(Protocol):
    """Trains once with the included canaries, and scores all canaries by the output of the training.

    A canary is one additional record, so the claim must be add-remove. The canaries may depend on the seed and on
    their number, never on `included`. A score may depend on `included` only through the output.
    """

    @property
    def claim(self) -> Claim:
        """The claim of the trainer for one record added or removed."""

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        """Train with this seed and score every canary: a higher score means that it was more likely included."""


@runtime_checkable
class StepTrainer(Protocol):
    """Trains by noisy sums of clipped gradients, and observes the canary in the sum of every step.

    The canary is a gradient with the clipping norm. It is added to the sums of exactly the steps that are asked for,
    independent of the sampling of records. The claim is that of the accountant for `steps` steps of Gaussian noise on
    sums that a record joins with probability `rate` (Poisson sampling).
    """

    @property
    def claim(self) -> Claim:
        """The claim of the accountant for one record added or removed."""

    @property
    def steps(self) -> int:
        """How many steps a training has."""

    @property
    def rate(self) -> float:
        """The probability with which a record joins a step."""

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        """Train once with the canary in these steps; returns a number, or a row of numbers, for each step.

        The numbers may depend on the noisy sums of this step and of earlier steps, and on nothing else that depends
        on the canary.
        """
