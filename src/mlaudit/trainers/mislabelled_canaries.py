"""The paper's networks trained by DP-SGD, only the last weights public: mislabelled canaries, black-box."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng

from mlaudit.errors import InvalidInput
from mlaudit.trainers._network_trainer import NetworkTrainer
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class MislabelledCanaries(NetworkTrainer):
    """The first rows of the data with another class than theirs, scored by how far the model has learned it.

    The rest of the data is always in. Without data canaries are images of noise with a class by chance, and nothing
    else is trained on. The score is minus the loss of the trained model.

    >>> MislabelledCanaries(rate=0.0)
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: rate must be a number in (0, 1), got 0.0
    """

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        """Minus the loss of each canary."""
        from mlaudit.dp_sgd.compiled import logits  # noqa: PLC0415 - needs an extra

        first, second = seed.spawn(2)
        images, classes = self._canaries(len(included), default_rng(first))
        others, theirs = (part[len(included) :] for part in self.rows())
        X, y = np.vstack([images[included], others]), np.concatenate([classes[included], theirs])
        done = self.train(X, y, second)
        said = logits(self.shape, done.weights, images)[0].astype(np.float64)
        return np.asarray(said[np.arange(len(said)), classes] - np.logaddexp.reduce(said, axis=1))

    def _canaries(self, canaries: int, rng: Generator) -> tuple[FloatArray, IntArray]:
        if self.data is None:
            images = rng.standard_normal((canaries, self.shape.pixels))
            return images, rng.integers(0, self.shape.classes, canaries)
        X, y = self.rows()
        if len(X) < canaries:
            raise InvalidInput(
                f"there must be a row for each canary, got {len(X)} for {canaries}; give fewer canaries"
            )
        away = rng.integers(1, self.shape.classes, canaries)
        return X[:canaries], (y[:canaries] + away) % self.shape.classes
