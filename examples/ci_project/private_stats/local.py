"""Local privacy: every row is randomised by itself."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

EPSILON = 1.0
_ANSWERS = 4


def randomised_response(data: Any, rng: Generator) -> NDArray[np.bool_]:
    """A yes or no of every row; each is true with probability e^ε / (1 + e^ε)."""
    truth = data.X[:, 0] > 0.5
    lies = rng.random(len(truth)) >= np.exp(EPSILON) / (1 + np.exp(EPSILON))
    return np.asarray(truth ^ lies)


def k_randomised_response(data: Any, rng: Generator) -> NDArray[np.int64]:
    """One of k answers of every row; each is true with probability e^ε / (k − 1 + e^ε)."""
    truth = np.clip(np.rint(data.X[:, 0]), 0, _ANSWERS - 1).astype(int)
    lies = rng.random(len(truth)) >= np.exp(EPSILON) / (_ANSWERS - 1 + np.exp(EPSILON))
    others = (truth + rng.integers(1, _ANSWERS, size=len(truth))) % _ANSWERS
    return np.asarray(np.where(lies, others, truth))
