"""One training in this process, for choices and explanations. No verdict counts it."""

import warnings
from copy import copy
from typing import Any

from numpy.random import SeedSequence

from mlaudit.drawing.outcome import as_vector
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset


def train_once(
    mechanism: Mechanism, data: Dataset, target: FloatArray | None, seed: int = 0
) -> tuple[Any, FloatArray]:
    """Train and return the model and its summary; warnings are ignored, since the trainings that count tell them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = mechanism.fit(copy(data), SeedSequence(seed))
        return model, as_vector(mechanism.summary(model, target))
