"""Learners for the neighbour relations label-only and zero-out; one of them adds too little noise.

mlaudit run examples/relations.py:noisy_labels --relation label-only --epsilon 1 --data worst --bounds 0,1
mlaudit run examples/relations.py:careless_labels --relation label-only --epsilon 1 --data worst --bounds 0,1
mlaudit run examples/relations.py:ClippedSum --data worst
mlaudit run examples/relations.py:ClippedSum --data worst --relation replace-one
"""

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import NDArray

from mlaudit import Claim, Dataset, L2Ball, Relation


def noisy_labels(data: Dataset, rng: Generator) -> NDArray[np.bool_]:
    """Randomised response: each label is flipped with probability 1/(1 + e), so that ε = 1. Features are public."""
    return flip_labels(data, rng, 1 / (1 + exp(1)))


def careless_labels(data: Dataset, rng: Generator) -> NDArray[np.bool_]:
    """The same with probability 0.1: ε = ln 9 = 2.2."""
    return flip_labels(data, rng, 0.1)


def flip_labels(data: Dataset, rng: Generator, probability: float) -> NDArray[np.bool_]:
    """Whether each label is 1, or the opposite with a probability."""
    return np.asarray((data.y == 1) ^ (rng.random(len(data.X)) < probability))


@dataclass(frozen=True)
class ClippedSum:
    """A sum of one column of rows in [-1, 1]. A zeroed row moves it by at most 1, a replaced row by 2."""

    epsilon: float = 1.0

    @property
    def claim(self) -> Claim:
        """ε holds if a row becomes zero; it is twice as large if a row is replaced by another."""
        return Claim(self.epsilon, relation=Relation.ZERO_OUT)

    def domain(self, data: Dataset) -> L2Ball:
        """Rows of norm 1 or less: zeros are among them."""
        return L2Ball(1.0)

    def fit(self, data: Dataset, seed: SeedSequence) -> float:
        """The sum, with Laplace noise for a shift of 1."""
        return float(data.X[:, 0].sum() + default_rng(seed).laplace(scale=1 / self.epsilon))

    def summary(self, model: float, target: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The sum itself."""
        return np.array([model])
