"""ClipBKD as it was published: its point, judged by the model's prediction there alone; a baseline."""

from dataclasses import dataclass

from numpy.random import Generator

from mlaudit.adapters.at_target import at_target
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class ClipBkdPrediction:
    """For any learner that predicts: what learning from all its parameters adds shows against `clip_bkd`."""

    def watch(self, mechanism: Mechanism) -> Mechanism:
        """The learner as this attack sees it."""
        return at_target(mechanism)

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows replaced by ClipBKD's backdoor."""
        return ClipBkd()(mechanism, data, rows, rng)
