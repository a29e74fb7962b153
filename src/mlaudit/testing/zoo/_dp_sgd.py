"""DP-SGD as small as it gets: one weight, full batches, squared loss; a step is whatever the exhibit makes of it.

Rows are (x, y). Those of the pair want the weight far up, or far down, so that every gradient is clipped in every
step: the weight after the last one is then Gaussian, and says all that the noisy gradients would. Claimed is what the
noise of `SIGMA` clipping norms gives: with full batches exactly μ-Gaussian DP, so that every truth has a closed form.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.testing.zoo._noise import on_grid
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

Step = Callable[[FloatArray, Generator], float]  # what is made of the gradients, a row each

STEPS, BATCH, RATE = 4, 8, 0.5  # BATCH is the expected size, public
CLAIM = Claim(1.0, 1e-5, Relation.ADD_REMOVE)
PAIR = Pair(Dataset([[1.0, -1e4]] * BATCH), Dataset([[1.0, -1e4]] * BATCH + [[1.0, 1e6]]))


def sigma(epsilon: float) -> float:
    """The noise multiplier for ε at the claimed δ: STEPS releases of sensitivity 1.

    >>> round(sigma(1.0), 3)
    7.461
    """
    return float(np.sqrt(STEPS) / mu_of(epsilon, CLAIM.delta))


SIGMA = sigma(CLAIM.epsilon)


def train_weight(data: Dataset, rng: Generator, step: Step) -> FloatArray:
    """The weight after the last step."""
    weight, (x, y) = 0.0, data.X.T
    for _ in range(STEPS):
        weight -= RATE * step((weight * x - y) * x, rng)
    return on_grid(weight)


def clip_gradients(gradients: FloatArray) -> FloatArray:
    """Each to norm 1."""
    return np.clip(gradients, -1.0, 1.0)


def private_step(gradients: FloatArray, rng: Generator) -> float:
    """Clip each, add up, add noise, and only then divide by the expected size of the batch."""
    return float(clip_gradients(gradients).sum() + rng.normal(0.0, SIGMA)) / BATCH


def healthy(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return train_weight(data, rng, private_step)
