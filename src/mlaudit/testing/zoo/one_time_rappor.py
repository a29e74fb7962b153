"""One-time RAPPOR that budgets for the bits that a value sets, and not for the bits that it clears.

Claimed: ε = 2, replace-one. True: ε = 4.
A client's value sets h = 2 bits of a Bloom filter, each reported by randomised response. Another value clears these
and sets two others. So 2h bits change, and each of them leaks ε/h.
"""

import numpy as np
from numpy.random import Generator
from scipy.special import expit

from mlaudit.testing.zoo._exhibit import Exhibit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_EPSILON, _HASHES, _BITS = 2.0, 2, 6


def _report(data: Dataset, epsilon_per_bit: float, rng: Generator) -> FloatArray:
    bits = np.zeros(_BITS)
    first = _HASHES * int(data.X[0, 0])
    bits[first : first + _HASHES] = 1.0
    truthful = rng.random(_BITS) < expit(epsilon_per_bit)
    return np.where(truthful, bits, 1.0 - bits)


def over_bits_set(data: Dataset, rng: Generator) -> FloatArray:
    """Broken."""
    return _report(data, _EPSILON / _HASHES, rng)


def over_bits_changed(data: Dataset, rng: Generator) -> FloatArray:
    """Healthy."""
    return _report(data, _EPSILON / (2 * _HASHES), rng)


ONE_TIME_RAPPOR = Exhibit(
    Claim(_EPSILON),
    Pair(Dataset([0.0]), Dataset([1.0])),
    healthy=over_bits_changed,
    broken=over_bits_set,
    true_epsilon=2 * _EPSILON,
    reference="Erlingsson, Pihur, Korolova 2014",
)
