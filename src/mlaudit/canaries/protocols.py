"""What a trainer must do to be audited by canaries: nothing to inherit, one method each."""

from typing import Protocol, runtime_checkable

from numpy.random import SeedSequence

from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.claim import Claim


@runtime_checkable
class CanaryTrainer(Protocol):
    """Trains once with those of m canaries that are in, and scores all m by what the training made public.

    A canary is one record more, so that the claim must be add-remove. What the canaries are may depend on the seed
    and on how many there are, never on who is in; a score may depend on `included` only through the output.
    """

    @property
    def claim(self) -> Claim:
        """What the trainer promises for one record added or removed."""

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        """One training, seeded; the higher a score, the more it speaks for the canary being in."""


@runtime_checkable
class StepTrainer(Protocol):
    """Trains by steps, each a noisy sum of clipped gradients, and shows what every sum says of a canary.

    The canary is a gradient of the highest norm that clipping lets through. It is put into the sums of just those
    steps that are asked for, whatever the trainer's own sampling does with the records. The claim is the accountant's
    for `steps` steps of Gaussian noise on sums that a record joins with probability `rate` (Poisson sampling).
    """

    @property
    def claim(self) -> Claim:
        """What the accountant says, for one record added or removed."""

    @property
    def steps(self) -> int:
        """How many steps a training has."""

    @property
    def rate(self) -> float:
        """The probability by which a record joins a step."""

    def watch(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        """One training with the canary in these steps; of each step a number, or a row of numbers.

        They may depend on the noisy sums of this step and of those before it, on nothing else that knows the canary.
        """
