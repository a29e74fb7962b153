"""diffprivlib's random forest, whole: every split of every tree, every leaf's label, and then τ, read at x*."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.samplers import _random_forest
from mlaudit.samplers._numba import compiled, inlined
from mlaudit.samplers._random_forest import Forest, count_rows, forest_of, leaf_of, place_thresholds
from mlaudit.samplers._xoshiro import key_of, seeded, word
from mlaudit.samplers.random_forest_batched import below, second_wins, unit
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset

STANDS_FOR = {"diffprivlib": "0.6.6"}
refusal = _random_forest.refusal

_BITS = 64
_ONE = np.uint64(1)


@inlined
def _draw_splits(features: Any, units: Any, columns: Any, state: Any) -> Any:
    for node in range(len(features)):
        features[node] = below(state, columns)
        units[node] = unit(state)


@inlined
def _label_leaves(labels: Any, inside: Any, gaps: Any, chances: Any, state: Any) -> Any:
    """The class of every leaf: permute-and-flip where there are rows, a fair coin where there are none."""
    coins = np.uint64(0)
    for leaf in range(len(labels)):
        if leaf % _BITS == 0:
            coins = word(state)
        labels[leaf] = np.int64(coins & _ONE)
        coins >>= _ONE
        if inside[leaf] > 0:
            labels[leaf] = unit(state) < chances[gaps[leaf] + (len(chances) >> 1)]


@compiled
def _draw(forest: Any, chances: Any, key: Any, out: Any) -> Any:
    leaves = 1 << forest.depth
    columns = len(forest.low)
    features, units, thresholds = np.empty(leaves - 1, np.int64), np.empty(leaves - 1), np.empty(leaves - 1)
    inside, gaps = np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    labels = np.empty(leaves, np.int64)
    state = np.empty(4, np.uint64)
    for row in range(len(out)):
        seeded(key, row, state)
        for tree in range(out.shape[1]):
            _draw_splits(features, units, columns, state)
            place_thresholds(forest, features, units, thresholds)
            count_rows(forest, tree, features, thresholds, inside, gaps)
            _label_leaves(labels, inside, gaps, chances, state)
            out[row, tree] = forest.labels[labels[leaf_of(forest.point, features, thresholds)]]


@dataclass(frozen=True, eq=False)
class RandomForestWhole:
    """Draws of τ on one dataset."""

    forest: Forest
    chances: FloatArray

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """τ of n forests."""
        out = np.empty((n, len(self.forest.starts) - 1))
        _draw(self.forest, self.chances, key_of(seed), out)
        return out


def prepared(mechanism: RandomForest, data: Dataset, target: FloatArray | None) -> RandomForestWhole:
    """What all trainings on D share."""
    forest = forest_of(mechanism, data, target)
    return RandomForestWhole(forest, second_wins(forest.epsilon, int(np.diff(forest.starts).max())))
