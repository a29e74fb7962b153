"""ClipBKD (Jagielski, Ullman and Oprea 2020): a backdoor along the direction of least variance; a baseline."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.attacks._directions import principal_directions
from mlaudit.attacks._rows import find_classes, poison_rows, unlikely_label
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class ClipBkd:
    """For any learner: x* has the median norm, and the label that a plain model thinks least likely there."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows replaced by the backdoor."""
        y, classes = find_classes(data, "clip_bkd")
        x = least_variance_point(data.finite)
        point = x if data.domain is None else data.domain.project(x[None, :])[0]
        return poison_rows(
            data, rng.permutation(len(data)), rows, point, unlikely_label(data.finite, y, classes, point)
        )


def least_variance_point(X: FloatArray) -> FloatArray:
    """The direction in which the rows vary least, scaled to their median norm.

    >>> least_variance_point(np.array([[3.0, 0.0], [-3.0, 0.0], [3.0, 0.2], [-3.0, 0.2]])).round(1).tolist()
    [0.0, 3.0]
    """
    return np.asarray(principal_directions(X)[-1] * np.median(np.linalg.norm(X, axis=1)))
