"""DP-SGD that clips the mean of the batch's gradients instead of each example's.

Claimed: ε = 1, δ = 1e-05, add-remove. True: ε = 26.7967.
The noise is for one clipped gradient among B. But one extreme row can move the clipped mean from one end to the
other, which is 2B times as far.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.statistics.gaussian_dp import epsilon_of, mu_of
from mlaudit.testing.zoo._dp_sgd import BATCH, CLAIM, PAIR, SIGMA, healthy, train_weight
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset


def _step(gradients: FloatArray, rng: Generator) -> float:
    return float(np.clip(gradients.sum() / BATCH, -1.0, 1.0)) + float(rng.normal(0.0, SIGMA)) / BATCH


def after_averaging(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return train_weight(data, rng, _step)


DP_SGD_CLIPPED_AFTER_AVERAGING = Exhibit(
    CLAIM,
    PAIR,
    healthy,
    after_averaging,
    float(epsilon_of(2 * BATCH * mu_of(CLAIM.epsilon, CLAIM.delta), CLAIM.delta)),
    reference="Abadi et al. 2016",
)
