"""DP-SGD that adds its noise to the mean gradient, with the noise of a mean divided by the batch once more.

Claimed: ε = 1, δ = 1e-05, add-remove. True: ε = 10.8974.
The noise of the mean is σ/B. Dividing by B once more gives σ/B², which is too small by a factor of B.
"""

from numpy.random import Generator

from mlaudit.statistics.gaussian_dp import epsilon_of, mu_of
from mlaudit.testing.zoo._dp_sgd import BATCH, CLAIM, PAIR, SIGMA, clip_gradients, healthy, train_weight
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset


def _step(gradients: FloatArray, rng: Generator) -> float:
    return float(clip_gradients(gradients).sum()) / BATCH + float(rng.normal(0.0, SIGMA / BATCH)) / BATCH


def divided_twice(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return train_weight(data, rng, _step)


DP_SGD_NOISE_DIVIDED_TWICE = Exhibit(
    CLAIM,
    PAIR,
    healthy,
    divided_twice,
    float(epsilon_of(BATCH * mu_of(CLAIM.epsilon, CLAIM.delta), CLAIM.delta)),
    reference="Abadi et al. 2016",
)
