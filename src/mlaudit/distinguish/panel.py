"""Bayesian mixture of distinguishers, weighted by their past predictive likelihood.

It is not known beforehand which rule distinguishes D from D′: a shift, a spread, one coordinate of many, or the last
bits of a number. Each distinguisher is weighted by the probability that it gave to all labels so far, draw by draw.
The log loss of the mixture exceeds that of the best member by at most ln(members) nats.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit, logsumexp, softmax

from mlaudit.distinguish.distinguisher import log_loss
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws
from mlaudit.types.finding import Scorer

_FACTORS = np.array([0.5, 1.0])  # of the log-odds: a distinguisher learned from few draws is overconfident
_LEAST = 1e-300  # a weight; dividing by a smaller one overflows


@dataclass(frozen=True, eq=False)
class PanelScorer:
    """The log-odds of the members' weighted mean probability; each member's log-odds are clipped at ±`limit`."""

    members: tuple[Scorer, ...]
    weights: FloatArray
    limit: float

    def __call__(self, draws: Draws) -> FloatArray:
        """One log-odds per draw."""
        log_odds = tempered_log_odds([member(draws) for member in self.members], self.limit)
        return mix_log_odds(log_odds, np.broadcast_to(self.weights, log_odds.shape))


def tempered_log_odds(scores: Sequence[FloatArray], limit: float) -> FloatArray:
    """Return each member's log-odds of each draw (row), halved and as they are, clipped at ±`limit`.

    >>> tempered_log_odds([np.array([1.0, -9.0])], limit=3.0).tolist()
    [[0.5, 1.0], [-3.0, -3.0]]
    """
    tempered = [factor * score for factor in _FACTORS for score in scores]
    return np.asarray(np.clip(np.stack(tempered, axis=1), -limit, limit))


def mix_log_odds(log_odds: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the log-odds of the weighted mean probability.

    >>> mix_log_odds(np.array([[2.0, -2.0], [3.0, 3.0]]), np.full((2, 2), 0.5)).round(9).tolist()
    [0.0, 3.0]
    """
    logs = np.log(np.maximum(weights, _LEAST))
    yes, no = (logsumexp(log_expit(side) + logs, axis=1) for side in (log_odds, -log_odds))
    return np.asarray(yes - no)


def mix_prequentially(
    log_odds: FloatArray, labels: IntArray, losses: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Mix the members' log-odds of each draw with weights from all draws before it; return also the losses so far.

    `losses` are each member's summed log losses before the first draw; None for zeros.

    >>> log_odds = np.array([[3.0, -3.0], [3.0, -3.0]])
    >>> scores, losses = mix_prequentially(log_odds, np.array([1, 1]), None)
    >>> scores.round(2).tolist(), losses.round(1).tolist()
    ([0.0, 2.31], [0.1, 6.1])
    """
    own = log_loss(log_odds, labels[:, None])
    start = np.zeros(log_odds.shape[1]) if losses is None else losses
    before = start + np.vstack([np.zeros(log_odds.shape[1]), np.cumsum(own, axis=0)[:-1]])
    return mix_log_odds(log_odds, np.asarray(softmax(-before, axis=1))), start + own.sum(axis=0)
