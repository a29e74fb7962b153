"""A gradient step that clips the batch's mean gradient instead of every example's gradient.

Claimed: ε = 1, add-remove. True: ε = 8.
The noise is for one clipped gradient in a batch of four. But one extreme row can move the whole mean from one end of
[−1, 1] to the other, which is eight times as far.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import laplace
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_LOT = 4  # the expected size of a batch, public


def _gradients(data: Dataset) -> FloatArray:
    """Of ½ Σ (w − x)² at w = 0, example by example."""
    return -data.X


def per_batch(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return laplace(np.clip(_gradients(data).sum() / _LOT, -1.0, 1.0), 1.0 / _LOT, rng)


def per_example(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return laplace(_gradients(data).clip(-1.0, 1.0).sum() / _LOT, 1.0 / _LOT, rng)


CLIPPED_PER_BATCH = Exhibit(
    Claim(1.0, relation=Relation.ADD_REMOVE),
    Pair(Dataset([-1.0] * _LOT), Dataset([-1.0] * _LOT + [100.0])),
    healthy=per_example,
    broken=per_batch,
    true_epsilon=2.0 * _LOT,
    reference="Abadi et al. 2016",
)
