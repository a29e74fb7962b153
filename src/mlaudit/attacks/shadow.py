"""A random row moved to where models of the same kind are most wrong (Nasr et al. 2021)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator, SeedSequence

from mlaudit.attacks._rows import poison_rows, two_classes
from mlaudit.attacks._surrogates import LogisticSurrogate
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import positive, whole
from mlaudit.types.dataset import Dataset
from mlaudit.types.edits import select_rows
from mlaudit.types.pair import Pair

Gradient = Callable[[FloatArray, int], FloatArray]


@runtime_checkable
class HasShadows(Protocol):
    """A learner whose own trainings can say which way a point's loss grows."""

    def shadow_gradient(self, data: Dataset, models: int, seed: SeedSequence) -> Gradient:
        """The gradient of the mean loss of that many trainings, by a point's x, for a label 0 or 1."""


@dataclass(frozen=True)
class Shadow:
    """For DP-SGD, and with logistic regressions on samples of D as shadows for any other learner.

    Every step moves each coordinate by a share of the data's range, to where the shadows' loss grows, inside it.
    """

    models: int = 5
    iterations: int = 20
    step: float = 0.05

    def __post_init__(self) -> None:
        whole("models", self.models, 1)
        whole("iterations", self.iterations, 0)
        positive("step", self.step)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with a random row moved, and more rows replaced by copies of it."""
        y, classes = two_classes(data, "shadow")
        order = rng.permutation(len(data))
        label = y[order[0]]
        seed = SeedSequence(rng.integers(2**32, size=4).tolist())
        gradient = self._gradient(mechanism, data, seed, rng)
        low, high = (np.full(data.X.shape[1], side) for side in (data.finite.min(), data.finite.max()))
        x = data.X[order[0]]
        for _ in range(self.iterations):
            ahead = x + self.step * (high - low) * np.sign(gradient(x, classes.index(label)))
            x = np.clip(ahead, low, high)
            x = x if data.domain is None else data.domain.project(x[None, :])[0]
        return poison_rows(data, order, rows, x, label)

    def _gradient(self, mechanism: Mechanism, data: Dataset, seed: SeedSequence, rng: Generator) -> Gradient:
        if isinstance(mechanism, HasShadows):
            return mechanism.shadow_gradient(data, self.models, seed)
        return self._logistic(data, rng)

    def _logistic(self, data: Dataset, rng: Generator) -> Gradient:
        """∇ₓ of the loss of w·x + b is (ŷ − y)w."""
        fitted = [LogisticSurrogate.fit(_sample(data, rng), 1.0, intercept=True) for _ in range(self.models)]

        def gradient(x: FloatArray, label: int) -> FloatArray:
            each = [model.loss_gradient(x, label)[-1] * model.theta[:-1] for model in fitted]
            return np.asarray(np.mean(each, axis=0))

        return gradient


def _sample(data: Dataset, rng: Generator) -> Dataset:
    """Half of the rows of each class, at least one."""
    y = np.asarray(data.y)
    parts = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    kept = np.concatenate([part[: max(1, len(part) // 2)] for part in parts])
    return select_rows(data, kept)
