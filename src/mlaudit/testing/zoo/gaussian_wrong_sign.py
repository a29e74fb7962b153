"""The analytic Gaussian mechanism with a minus where its calibration has a plus.

Claimed: ε = 1, δ = 1e-05, replace-one. True: ε = 58.8675.
σ = (√(1+u/2) ± √(u/2))/√(2ε), with plus for small δ and minus for large δ. The wrong sign gives the inverse of the
right factor. Here the noise is too small by a factor of 28.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.statistics.gaussian_dp import epsilon_of, mu_of
from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import on_grid
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_EPSILON, _DELTA = 1.0, 1e-5
_FACTOR = float(np.sqrt(2 * _EPSILON) / mu_of(_EPSILON, _DELTA))  # √(1+u/2) + √(u/2)
_HALF = (_FACTOR - 1 / _FACTOR) / 2  # √(u/2)
_PLUS = (np.sqrt(1 + _HALF**2) + _HALF) / np.sqrt(2 * _EPSILON)
_MINUS = (np.sqrt(1 + _HALF**2) - _HALF) / np.sqrt(2 * _EPSILON)


def minus(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return on_grid(data.X.sum() + rng.normal(0.0, _MINUS))


def plus(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return on_grid(data.X.sum() + rng.normal(0.0, _PLUS))


GAUSSIAN_WRONG_SIGN = Exhibit(
    Claim(_EPSILON, _DELTA),
    Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0])),
    healthy=plus,
    broken=minus,
    true_epsilon=float(epsilon_of(1 / _MINUS, _DELTA)),
    reference="Balle, Wang 2018",
)
