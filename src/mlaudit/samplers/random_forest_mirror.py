"""diffprivlib's random forest with its own random numbers: the same seed, the same labels of x*."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.samplers import _random_forest
from mlaudit.samplers._mt19937 import LENGTH, below, pool_after, seeded_at, seeded_by_number, uniform, word
from mlaudit.samplers._numba import compiled
from mlaudit.samplers._random_forest import Forest, count_rows, forest_of, leaf_of, place_thresholds
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset

STANDS_FOR = {"diffprivlib": "0.6.6"}
refusal = _random_forest.refusal

_MOST_SEED = 2**31 - 1  # a tree's seed is RandomState.randint of this


@compiled
def _bernoulli_neg_exp(gamma: Any, state: Any) -> Any:
    while gamma > 1.0:
        gamma -= 1.0
        count = 1
        while uniform(state) <= 1.0 / count:
            count += 1
        if count % 2 == 0:
            return False
    count = 1
    while uniform(state) <= gamma / count:
        count += 1
    return count % 2 == 1


@compiled
def _permute_and_flip(epsilon: Any, gap: Any, state: Any) -> Any:
    """The class, 0 or 1, that a leaf with rows is labelled with."""
    leader = 1 if gap > 0 else 0
    candidate = np.int64(uniform(state) * 2.0)
    behind = 0 if candidate == leader or gap == 0 else abs(gap)
    if _bernoulli_neg_exp(epsilon * behind, state):
        return candidate
    uniform(state)  # a choice among one
    _bernoulli_neg_exp(epsilon * (abs(gap) - behind), state)
    return 1 - candidate


@compiled
def _label_of(leaf: Any, forest: Any, inside: Any, gaps: Any, state: Any) -> Any:
    """The class of one leaf. Leaves with rows are labelled first, in their order, then the empty ones."""
    for other in range(len(inside)):
        if inside[other] > 0:
            label = _permute_and_flip(forest.epsilon, gaps[other], state)
            if other == leaf:
                return label
    for other in range(leaf):
        if inside[other] == 0:
            word(state)  # RandomState.randint(2) takes one word
    return below(state, 2)


@compiled
def _mirror(forest: Any, pool: Any, constant: Any, places: Any, out: Any) -> Any:
    leaves = 1 << forest.depth
    columns = len(forest.low)
    features, units, thresholds = np.empty(leaves - 1, np.int64), np.empty(leaves - 1), np.empty(leaves - 1)
    inside, gaps = np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    seeds = np.empty(out.shape[1], np.int64)
    state = np.empty(LENGTH, np.uint32)
    for row in range(len(places)):
        seeded_at(pool, constant, places[row], state)
        for tree in range(len(seeds)):
            seeds[tree] = below(state, _MOST_SEED)
        for tree in range(len(seeds)):
            seeded_by_number(seeds[tree], state)
            for node in range(leaves - 1):
                features[node] = below(state, columns)
                units[node] = uniform(state)
            place_thresholds(forest, features, units, thresholds)
            count_rows(forest, tree, features, thresholds, inside, gaps)
            leaf = leaf_of(forest.point, features, thresholds)
            out[row, tree] = forest.labels[_label_of(leaf, forest, inside, gaps, state)]


@dataclass(frozen=True, eq=False)
class RandomForestMirror:
    """τ of the library's own fits on one dataset."""

    forest: Forest

    def __call__(self, seed: int, words: tuple[int, ...], places: IntArray) -> FloatArray:
        """τ of fit(data, SeedSequence(seed, spawn_key=(*words, place))), for each place."""
        out = np.empty((len(places), len(self.forest.starts) - 1))
        _mirror(self.forest, *pool_after(seed, words), np.asarray(places, dtype=np.int64), out)
        return out


def prepared(mechanism: RandomForest, data: Dataset, target: FloatArray | None) -> RandomForestMirror:
    """What all trainings on D share."""
    return RandomForestMirror(forest_of(mechanism, data, target))
