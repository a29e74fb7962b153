"""The paper's networks trained by DP-SGD, every noisy gradient public: gradient canaries, white-box."""

from dataclasses import dataclass

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.trainers._likelihood import directions, log_likelihood_ratios
from mlaudit.trainers._network_trainer import NetworkTrainer
from mlaudit.types.arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class GradientCanaries(NetworkTrainer):
    """Canaries of the clipping norm in random directions, put into the clipped sum as a row's gradient would be.

    The adversary sees every noisy sum and knows everything but which canaries are in and who joined which step. It
    chooses the data: by default none, so that nothing but the other canaries and the noise hides one of them.

    >>> GradientCanaries(network="mnist")
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no network is called 'mnist'; did you mean 'fashion_mnist'?
    """

    def scores(self, included: BoolArray, seed: SeedSequence) -> FloatArray:
        """The log-likelihood ratio of each canary."""
        first, second = seed.spawn(2)
        units = directions(len(included), self.shape.size, default_rng(first))
        inside = self.clip * units[included]
        done = self.train(*self.rows(), second, canaries=inside, directions=units)
        return log_likelihood_ratios(done.observed / self.clip, units, self.rate, self.noise)

    def observe_steps(self, inserted: BoolArray, seed: SeedSequence) -> FloatArray:
        """What each noisy sum has in the direction of one canary."""
        first, second = seed.spawn(2)
        unit = directions(1, self.shape.size, default_rng(first))
        joins = inserted[:, None]
        done = self.train(*self.rows(), second, canaries=self.clip * unit, directions=unit, joins=joins)
        return np.asarray(done.observed[:, 0] / self.clip)
