"""A blank image, all zeros, as a canary: little else moves a network's answer there (Nasr et al. 2023)."""

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from mlaudit.attacks._rows import find_classes, poison_rows, unlikely_label
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class Blank:
    """For learners on images: x* is zero everywhere, with the label that a plain model thinks less likely there."""

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows replaced by blank ones."""
        y, classes = find_classes(data, "blank")
        blank = np.zeros(data.X.shape[1])
        point = blank if data.domain is None else data.domain.project(blank[None, :])[0]
        return poison_rows(
            data, rng.permutation(len(data)), rows, point, unlikely_label(data.finite, y, classes, point)
        )
