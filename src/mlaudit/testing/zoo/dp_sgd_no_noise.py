"""DP-SGD that clips gradients but never adds noise.

Claimed: ε = 1, δ = 1e-05, add-remove. True: ε = ∞.
Clipping bounds the effect of a row, but does not hide it.
"""

from numpy.random import Generator

from mlaudit.testing.zoo._dp_sgd import BATCH, CLAIM, PAIR, clip_gradients, healthy, train_weight
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset


def without_noise(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return train_weight(data, rng, lambda gradients, _: float(clip_gradients(gradients).sum()) / BATCH)


DP_SGD_NO_NOISE = Exhibit(CLAIM, PAIR, healthy, without_noise, float("inf"), reference="Abadi et al. 2016")
