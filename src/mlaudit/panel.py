"""A panel of distinguishers, heard as far as each has foretold the labels so far.

Which rule tells D from D′ is not known beforehand: a shift, a spread, one coordinate of many, the last bits of a
number. Weighting each by the probability it gave to all labels up to now, draw by draw, costs no more than
ln(members) nats against the best of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit, logsumexp, softmax

from mlaudit.distinguisher import log_loss
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Scorer

_BELIEVED = np.array([0.5, 1.0])  # of its own log-odds: who has learned from few draws is too sure
_LEAST = 1e-300  # a weight; dividing by a smaller one overflows


@dataclass(frozen=True, eq=False)
class PanelScorer:
    """The log-odds of the members' average probability; nobody is surer than `limit`."""

    members: tuple[Scorer, ...]
    weights: FloatArray
    limit: float

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw."""
        said = opinions([member(draws) for member in self.members], self.limit)
        return average(said, np.broadcast_to(self.weights, said.shape))


def opinions(scores: Sequence[FloatArray], limit: float) -> FloatArray:
    """What every member says of each draw (row), at each degree of belief.

    >>> opinions([np.array([1.0, -9.0])], limit=3.0).tolist()
    [[0.5, 1.0], [-3.0, -3.0]]
    """
    believed = [degree * score for degree in _BELIEVED for score in scores]
    return np.asarray(np.clip(np.stack(believed, axis=1), -limit, limit))


def average(said: FloatArray, weights: FloatArray) -> FloatArray:
    """The log-odds of the weighted mean probability.

    >>> average(np.array([[2.0, -2.0], [3.0, 3.0]]), np.full((2, 2), 0.5)).round(9).tolist()
    [0.0, 3.0]
    """
    logs = np.log(np.maximum(weights, _LEAST))
    yes, no = (logsumexp(log_expit(side) + logs, axis=1) for side in (said, -said))
    return np.asarray(yes - no)


def foretold(said: FloatArray, labels: IntArray, losses: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """The panel's log-odds of each draw, by the weights that all draws before it give; and the losses after the last.

    >>> said = np.array([[3.0, -3.0], [3.0, -3.0]])
    >>> scores, losses = foretold(said, np.array([1, 1]), None)
    >>> scores.round(2).tolist(), losses.round(1).tolist()
    ([0.0, 2.31], [0.1, 6.1])
    """
    own = log_loss(said, labels[:, None])
    start = np.zeros(said.shape[1]) if losses is None else losses
    before = start + np.vstack([np.zeros(said.shape[1]), np.cumsum(own, axis=0)[:-1]])
    return average(said, np.asarray(softmax(-before, axis=1))), start + own.sum(axis=0)
