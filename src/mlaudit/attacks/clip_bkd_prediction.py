"""ClipBKD as it was published: its point, judged by the model's prediction there alone; a baseline."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.adapters.prediction_at import observe_prediction
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class ClipBkdPrediction:
    """For any learner that predicts: compare it with `clip_bkd` to see how much all parameters add."""

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The learner with its prediction at x* as the summary τ."""
        return observe_prediction(mechanism)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows replaced by ClipBKD's backdoor."""
        return ClipBkd()(mechanism, data, rows, rng)
