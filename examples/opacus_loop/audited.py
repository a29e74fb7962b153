"""The loop beside this file as a catalogue of one item: its claim is what Opacus' accountant states.

mlaudit library examples/opacus_loop/audited.py:items --effort smoke
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mlaudit import Box, Dataset
from mlaudit.adapters.opacus import OpacusTraining
from mlaudit.library import Item

sys.path.append(str(Path(__file__).parent))
from train import train  # type: ignore[import-not-found]  # the file beside this one


def items() -> Iterator[Item]:
    """The loop on 43 rows of two columns."""
    X = np.random.default_rng(0).uniform(-1, 1, (43, 2))
    data = Dataset(X, (X[:, 0] > 0).astype(int), domain=Box([-1, -1], [1, 1], labels=(0, 1)))
    yield Item("my loop", OpacusTraining(train, data, delta=1e-3), data=data, trainings=100)
