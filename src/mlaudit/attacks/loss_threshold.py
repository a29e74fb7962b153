"""Membership by the loss alone (Yeom et al. 2018): was this random row in the training set? A baseline."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.adapters.prediction_at import observe_prediction
from mlaudit.attacks._rows import poison_rows, two_classes
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class LossThreshold:
    """For any learner that predicts: random rows against copies of another row, judged by the prediction there.

    The loss of a known label is a monotone function of the predicted probability: P(x*) has the same information.
    """

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The learner with its prediction at x* as the summary τ."""
        return observe_prediction(mechanism)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows of a class replaced by copies of one more row of it; x* is the first of them."""
        y, _ = two_classes(data, "loss_threshold")
        order = rng.permutation(len(data))
        mine = order[y[order] == y[order[0]]]
        pair = poison_rows(data, mine[:-1], rows, data.X[mine[-1]], y[mine[-1]])
        return Pair(pair.base, pair.neighbour, target=data.X[mine[0]])
