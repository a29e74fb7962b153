"""DP-SGD with the noise multiplier of another ε: the noise is for ε = 8, and the claim is ε = 1.

Claimed: ε = 1, δ = 1e-05, add-remove. True: ε = 8.
This happens when a configuration is copied. Only one number is wrong, and the output does not show it.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._dp_sgd import BATCH, CLAIM, PAIR, clip_gradients, healthy, sigma, train_weight
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset

_TRUE = 8.0
_SIGMA = sigma(_TRUE)


def _step(gradients: FloatArray, rng: Generator) -> float:
    return float(clip_gradients(gradients).sum() + rng.normal(0.0, _SIGMA)) / BATCH


def too_little(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return train_weight(data, rng, _step)


DP_SGD_NOISE_OF_ANOTHER_EPSILON = Exhibit(CLAIM, PAIR, healthy, too_little, _TRUE, reference="Abadi et al. 2016")
