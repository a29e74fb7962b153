"""The truncated geometric mechanism, with the noise truncated instead of the output.

Claimed: ε = 1, replace-one. True: ε = ∞.
Noise of at most 1 never takes a count of 1 to 3, nor a count of 2 to 0. Truncating the noisy count to the possible
counts instead is post-processing, which is safe.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import geometric
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def noise_truncated(data: Dataset, rng: Generator) -> float:
    """Broken."""
    return float(data.X.sum() + np.clip(geometric(1.0, rng), -1, 1))


def output_truncated(data: Dataset, rng: Generator) -> float:
    """Healthy."""
    return float(np.clip(data.X.sum() + geometric(1.0, rng), 0, len(data)))


TRUNCATED_GEOMETRIC = Exhibit(
    Claim(1.0),
    Pair(Dataset([1.0, 0.0, 0.0]), Dataset([1.0, 1.0, 0.0])),
    healthy=output_truncated,
    broken=noise_truncated,
    true_epsilon=np.inf,
    reference="Ghosh, Roughgarden, Sundararajan 2009",
)
