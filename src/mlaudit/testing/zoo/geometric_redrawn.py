"""The geometric mechanism, drawn again until the output is a possible count.

Claimed: ε = 1, replace-one. True: ε = 1.20893.
Drawing again divides all probabilities by that of the allowed outputs, which depends on the count: by a factor of up
to 1 + α − α² for α = e^{−ε} on many rows. The leak is small, and hard to detect.
"""

import math

from numpy.random import Generator

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.testing.zoo._noise import geometric
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_ROWS = 8


def drawn_again(data: Dataset, rng: Generator) -> float:
    """Broken."""
    while True:
        noisy = float(data.X.sum() + geometric(1.0, rng))
        if 0 <= noisy <= len(data):
            return noisy


def truncated(data: Dataset, rng: Generator) -> float:
    """Healthy."""
    return min(max(float(data.X.sum() + geometric(1.0, rng)), 0.0), float(len(data)))


def _allowed_mass(count: int) -> float:
    """Σ e^{−|j − count|} over the allowed j, up to the constant that all counts share."""
    return math.fsum(math.exp(-abs(j - count)) for j in range(_ROWS + 1))


GEOMETRIC_REDRAWN = Exhibit(
    Claim(1.0),
    Pair(Dataset([0.0] * _ROWS), Dataset([1.0] + [0.0] * (_ROWS - 1))),
    healthy=truncated,
    broken=drawn_again,
    true_epsilon=1.0 + math.log(_allowed_mass(1) / _allowed_mass(0)),
    reference="Holohan, Antonatos, Braghin, Mac Aonghusa 2020",
)
