"""diffprivlib's random forest with its own random numbers: the same seed, the same labels of x*."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.kernels.mt19937 import LENGTH, below, seed_at, seed_by_number, shared_pool, uniform, word
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.samplers import _random_forest
from mlaudit.samplers._random_forest import Forest, read_forest
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset

_MOST_SEED = 2**31 - 1  # a tree's seed is RandomState.randint of this


@compiled
def _place_thresholds(forest: Any, features: Any, units: Any, thresholds: Any) -> Any:
    """Turn uniform numbers into thresholds, each within its node's cell.

    Nodes are in the library's order, depth first and right before left: node k of depth l has its right child at
    k + 1 and its left one at k + 2^(depth − l − 1). The cell's bounds are changed on the way down and put back on the
    way up, where the library copies them for each node.
    """
    low, high, depth = forest.low.copy(), forest.high.copy(), forest.depth
    above = np.empty(depth, np.int64)  # the node at each depth of the path
    bound = np.empty(depth)  # what its threshold took the place of
    went_left = np.empty(depth, np.bool_)
    level = 0
    for node in range(len(features)):
        feature = features[node]
        threshold = low[feature] + (high[feature] - low[feature]) * units[node]
        thresholds[node] = threshold
        if level < depth - 1:
            above[level], bound[level], went_left[level] = node, low[feature], False
            low[feature] = threshold
            level += 1
            continue
        while level > 0 and went_left[level - 1]:
            level -= 1
            high[features[above[level]]] = bound[level]
        if level > 0:
            feature = features[above[level - 1]]
            low[feature] = bound[level - 1]
            bound[level - 1], went_left[level - 1] = high[feature], True
            high[feature] = thresholds[above[level - 1]]


@inlined
def _find_leaf(x: Any, features: Any, thresholds: Any) -> Any:
    """The leaf that x falls in, counted from the right, which is the library's order."""
    node, leaf, half = 0, 0, (len(features) + 1) >> 1
    while half > 0:
        if x[features[node]] <= thresholds[node]:
            node += half
            leaf += half
        else:
            node += 1
        half >>= 1
    return leaf


@compiled
def _count_rows(forest: Any, tree: Any, features: Any, thresholds: Any, inside: Any, gaps: Any) -> Any:
    """How many of the tree's rows fall in each leaf, and by how many the second class leads there."""
    rows, votes = forest.rows, forest.votes  # taken from the tuple in the loop, each would be counted each time
    inside[:] = 0
    gaps[:] = 0
    for i in range(forest.starts[tree], forest.starts[tree + 1]):
        leaf = _find_leaf(rows[i], features, thresholds)
        inside[leaf] += 1
        gaps[leaf] += votes[i]


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
def _draw_label(leaf: Any, forest: Any, inside: Any, gaps: Any, state: Any) -> Any:
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
def _repeat_labels(forest: Any, pool: Any, constant: Any, indices: Any, out: Any) -> Any:
    leaves = 1 << forest.depth
    columns = len(forest.low)
    features, units, thresholds = np.empty(leaves - 1, np.int64), np.empty(leaves - 1), np.empty(leaves - 1)
    inside, gaps = np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    seeds = np.empty(out.shape[1], np.int64)
    state = np.empty(LENGTH, np.uint32)
    for row in range(len(indices)):
        seed_at(pool, constant, indices[row], state)
        for tree in range(len(seeds)):
            seeds[tree] = below(state, _MOST_SEED)
        for tree in range(len(seeds)):
            seed_by_number(seeds[tree], state)
            for node in range(leaves - 1):
                features[node] = below(state, columns)
                units[node] = uniform(state)
            _place_thresholds(forest, features, units, thresholds)
            _count_rows(forest, tree, features, thresholds, inside, gaps)
            leaf = _find_leaf(forest.point, features, thresholds)
            out[row, tree] = forest.labels[_draw_label(leaf, forest, inside, gaps, state)]


@dataclass(frozen=True, eq=False)
class Mirror:
    """τ of the library's own fits on one dataset."""

    forest: Forest

    def __call__(self, seed: int, spawn_key: tuple[int, ...], indices: IntArray) -> FloatArray:
        """τ of fit(data, SeedSequence(seed, spawn_key=(*spawn_key, index))), for each index."""
        out = np.empty((len(indices), len(self.forest.starts) - 1))
        _repeat_labels(self.forest, *shared_pool(seed, spawn_key), np.asarray(indices, dtype=np.int64), out)
        return out


def prepare(mechanism: RandomForest, data: Dataset, target: FloatArray | None) -> Mirror:
    """What all trainings on D share."""
    return Mirror(read_forest(mechanism, data, target))


SAMPLER = SamplerSpec(prepare=prepare, stands_for={"diffprivlib": "0.6.6"}, refusal=_random_forest.refusal)
