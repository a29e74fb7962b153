"""A learner with nothing but fit and bounds: the mean of each column, whose noise forgets how many columns there are.

mlaudit run examples/my_learner.py:NoisyMeans --epsilon 1 --data worst
"""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray


@dataclass
class NoisyMeans:
    """Means of columns between 0 and 1; ε is spent on every column, instead of being divided among them."""

    epsilon: float = 1.0
    bounds = (0, 1)

    def fit(self, X: NDArray[np.float64], rng: Generator) -> None:
        """Clip, average, add noise."""
        scale = 1 / (len(X) * self.epsilon)
        self.means_ = np.clip(X, *self.bounds).mean(axis=0) + rng.laplace(scale=scale, size=X.shape[1])
