"""What trainers of the paper's networks share: a plan, its claim, data as images, and who trains."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.statistics.subsampled_gaussian import noise_multiplier
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.checks import choice, instance, positive, real, whole
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.traits import Traits

if TYPE_CHECKING:
    from mlaudit.dp_sgd.network import Network
    from mlaudit.dp_sgd.plan import Plan
    from mlaudit.dp_sgd.record import TrainingRecord

NETWORKS = ("cifar10", "fashion_mnist")
BY = ("compiled", "opacus")


@dataclass(frozen=True)
class NetworkTrainer:
    """A convolutional network trained by Poisson batches, clipped gradients and noise calibrated for ε.

    `network` is one of the paper's two, trained `by` mlaudit's compiled kernels or by opacus itself. `batch` is what
    the noisy sum is divided by: with no rows nothing else says how large an update is.
    """

    epsilon: float = 2.0
    delta: float = 1e-5
    network: str = "fashion_mnist"
    steps: int = 100
    rate: float = 0.1
    clip: float = 1.0
    batch: float = 100.0
    learning_rate: float = 1e-3
    data: Dataset | None = None
    by: str = "compiled"

    def __post_init__(self) -> None:
        _ = self.claim  # checks ε and δ
        whole("steps", self.steps, 1)
        real("rate", self.rate, 0, np.nextafter(1.0, 2.0))
        for name in ("delta", "clip", "batch", "learning_rate"):
            positive(name, getattr(self, name))
        choice("network", self.network, NETWORKS)
        choice("trainer of networks", self.by, BY)
        if self.data is not None:
            instance("data", self.data, Dataset, "wrap rows in Dataset(...)")

    @property
    def claim(self) -> Claim:
        """What the accountant says of the noise."""
        return Claim(self.epsilon, self.delta, Relation.ADD_REMOVE)

    @property
    def noise(self) -> float:
        """The noise multiplier that the claim asks for."""
        return noise_multiplier(self.epsilon, self.delta, self.rate, self.steps)

    @property
    def traits(self) -> Traits:
        """The library that trains; none but mlaudit itself where the training is compiled."""
        return Traits(library="opacus" if self.by == "opacus" else "")

    def train(self, images: ArrayLike, labels: ArrayLike, seed: SeedSequence, **canaries: Any) -> "TrainingRecord":
        """One training from random weights."""
        if self.by == "opacus":
            from mlaudit.dp_sgd.opacus_loop import train  # noqa: PLC0415 - needs an extra
        else:
            from mlaudit.dp_sgd.compiled import train  # noqa: PLC0415 - needs an extra
        return train(self.plan, images, labels, None, seed, **canaries)

    @property
    def shape(self) -> "Network":
        """The network's layers."""
        from mlaudit.dp_sgd import network  # noqa: PLC0415 - only where a training is asked for

        return network.CIFAR10 if self.network == "cifar10" else network.FASHION_MNIST

    @property
    def plan(self) -> "Plan":
        """The training as plain numbers."""
        from mlaudit.dp_sgd.plan import Plan, RmsProp  # noqa: PLC0415 - only where a training is asked for

        optimiser = RmsProp(self.learning_rate)
        return Plan(self.shape, self.steps, self.rate, self.noise, self.clip, self.batch, optimiser)

    def rows(self) -> tuple[FloatArray, IntArray]:
        """Images, and classes numbered from 0; without data there are none."""
        if self.data is None:
            return np.empty((0, self.shape.pixels)), np.empty(0, dtype=np.int64)
        if self.data.y is None or self.data.X.shape[1] != self.shape.pixels:
            raise InvalidInput(
                f"{self.network} needs labelled images of {self.shape.pixels} pixels, got {self.data.X.shape[1]} "
                "columns; give other data or another network"
            )
        classes = np.unique(self.data.y, return_inverse=True)[1]
        return self.data.X, classes.astype(np.int64)
