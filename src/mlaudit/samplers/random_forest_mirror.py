"""diffprivlib's random forest with its own random numbers: the same seed, the same labels of x*."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled
from mlaudit.kernels.mt19937 import (
    LENGTH,
    below,
    mask_below,
    return_words,
    seed_at,
    seed_by_number,
    shared_pool,
    take_words,
    temper,
    uniform,
    unit_of,
    word,
)
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.samplers import _random_forest
from mlaudit.samplers._random_forest import Forest, read_forest
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset

_MOST_SEED = 2**31 - 1  # a tree's seed is RandomState.randint of this


@compiled
def _draw_nodes(columns: Any, state: Any, features: Any, words: Any) -> None:
    """Draw every node's feature, and the two words that its threshold will be made from.

    Nodes are in the library's order, depth first and right before left: node k of depth l has its right child at
    k + 1 and its left one at k + 2^(depth − l − 1).
    """
    drawn, mask = columns > 1, mask_below(columns)
    rest, node, at, filled = np.empty(LENGTH + 2, np.uint32), 0, 0, 0
    while node < len(features):
        left = filled - at
        rest[:left] = rest[at:filled]
        take_words(state, rest[left:])
        at, filled = 0, left + LENGTH - 1
        # No call in this loop: numba would count references to the arrays in every round, most of the time spent.
        while node < len(features) and at + 3 <= filled:
            value = np.int64(temper(rest[at]) & mask) if drawn else 0
            at += drawn
            if value < columns:
                features[node], words[node, 0], words[node, 1] = value, rest[at], rest[at + 1]
                at += 2
                node += 1
    return_words(state, filled - at)


@compiled
def _find_leaf(x: Any, forest: Any, features: Any, words: Any, thresholds: Any, low: Any, high: Any) -> Any:
    """The leaf that x falls in, counted from the right, which is the library's order.

    Thresholds that are not known yet are computed on the way, each within its node's cell (`low` to `high`): few of a
    thousand nodes lie on the way of a row.
    """
    low[:] = forest.low
    high[:] = forest.high
    node, leaf, half = 0, 0, (len(features) + 1) >> 1
    while half > 0:
        feature, threshold = features[node], thresholds[node]
        if math.isnan(threshold):
            unit = unit_of(temper(words[node, 0]), temper(words[node, 1]))
            threshold = low[feature] + (high[feature] - low[feature]) * unit
            thresholds[node] = threshold
        if x[feature] <= threshold:
            high[feature] = threshold
            node += half
            leaf += half
        else:
            low[feature] = threshold
            node += 1
        half >>= 1
    return leaf


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
    rows, votes = forest.rows, forest.votes  # taken from the tuple in the loop, each would be counted each time
    features, thresholds = np.empty(leaves - 1, np.int64), np.empty(leaves - 1)
    words = np.empty((leaves - 1, 2), np.uint32)
    low, high = np.empty(columns), np.empty(columns)
    inside, gaps = np.empty(leaves, np.int64), np.empty(leaves, np.int64)
    seeds = np.empty(out.shape[1], np.int64)
    state = np.empty(LENGTH, np.uint32)
    for row in range(len(indices)):
        seed_at(pool, constant, indices[row], state)
        for tree in range(len(seeds)):
            seeds[tree] = below(state, _MOST_SEED)
        for tree in range(len(seeds)):
            seed_by_number(seeds[tree], state)
            _draw_nodes(columns, state, features, words)
            thresholds[:] = np.nan
            inside[:] = 0
            gaps[:] = 0
            # How many of the tree's rows fall in each leaf, and by how many the second class leads there.
            for i in range(forest.starts[tree], forest.starts[tree + 1]):
                leaf = _find_leaf(rows[i], forest, features, words, thresholds, low, high)
                inside[leaf] += 1
                gaps[leaf] += votes[i]
            leaf = _find_leaf(forest.point, forest, features, words, thresholds, low, high)
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
