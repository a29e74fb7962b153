"""The settings of a DP-SGD training: steps, batches, noise and optimiser."""

import math
from dataclasses import dataclass

from mlaudit.dp_sgd.network import Network
from mlaudit.errors import InvalidInput
from mlaudit.types.checks import positive, quote, real, whole


@dataclass(frozen=True)
class Sgd:
    """v ← momentum·v + g; w ← w − learning_rate·v."""

    learning_rate: float
    momentum: float = 0.0

    def __post_init__(self) -> None:
        positive("learning_rate", self.learning_rate)
        real("momentum", self.momentum, 0, 1, closed_low=True)


@dataclass(frozen=True)
class RmsProp:
    """v ← 0.99·v + 0.01·g²; w ← w − learning_rate·g/(√v + 1e-8), torch's default."""

    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        positive("learning_rate", self.learning_rate)


@dataclass(frozen=True)
class Adam:
    """Bias-corrected moments of 0.9 and 0.999, 1e-8 in the denominator, torch's default."""

    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        positive("learning_rate", self.learning_rate)


Optimiser = Sgd | RmsProp | Adam


@dataclass(frozen=True)
class Plan:
    """Each step draws a Poisson batch, sums clipped gradients, adds noise of noise_multiplier·clip and updates once.

    Each row joins a step with probability `rate`, independently; 1 means full batches. The noisy sum is divided by
    `batch`, a public constant: under add-remove the number of rows is not public.
    """

    network: Network
    steps: int
    rate: float
    noise_multiplier: float
    clip: float
    batch: float
    optimiser: Optimiser = RmsProp()

    def __post_init__(self) -> None:
        whole("steps", self.steps, 1)
        sampling_rate("rate", self.rate)
        real("noise_multiplier", self.noise_multiplier, 0, math.inf, closed_low=True)
        positive("clip", self.clip)
        positive("batch", self.batch)


def sampling_rate(name: str, value: float) -> float:
    """Return the value if it is a probability above zero, or raise.

    >>> sampling_rate("rate", 1.0)
    1.0
    >>> sampling_rate("rate", 1.5)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: rate must be a probability in (0, 1], got 1.5
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= 1:
        raise InvalidInput(f"{name} must be a probability in (0, 1], got {quote(value)}")
    return float(value)
