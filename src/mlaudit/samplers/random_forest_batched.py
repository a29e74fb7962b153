"""diffprivlib's random forest at x*: of each tree only the splits around x* are drawn, and its rows are bits."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.kernels.xoshiro import key_of, seed_stream, word
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.samplers import _random_forest
from mlaudit.samplers._random_forest import Forest, read_forest
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.dataset import Dataset

Masks = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]

_BUCKETS = 64
_EDGES = np.arange(_BUCKETS + 1)[:, None]
_BITS = 64
_LOW, _HIGH, _POINT, _PER_UNIT = range(4)
_ROWS, _PARTING, _FIRST, _SECOND = range(4)
_NONE, _ONE, _U32 = np.uint64(0), np.uint64(1), np.uint64(32)
_TWOS, _FOURS, _EIGHTS = (np.uint64(k) for k in (0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F))
_BYTES, _U2, _U4, _U11, _U56 = np.uint64(0x0101010101010101), *(np.uint64(k) for k in (2, 4, 11, 56))
_UNIT = 1.0 / 9007199254740992.0


class Cells(NamedTuple):
    """A forest's rows as bits of 64-bit words, for kernels; the last axis of a mask counts words.

    Each column's range is cut into equal buckets. under[t, f, b] are the rows of tree t whose bucket in column f is
    less than b, so that a threshold in bucket b leaves only the rows in that bucket to compare one by one.
    """

    under: Masks
    values: FloatArray  # [t, f, bit]: what the row of this bit is compared by
    masks: Masks  # [t]: all rows, those that a split can part from x*, those a leaf counts for either class
    columns: FloatArray  # [f]: the box's low and high, x*, and how many buckets make one unit
    second_wins: FloatArray  # the second class's probability, by its lead plus the most that it can be behind
    labels: FloatArray
    depth: int


def _pack_forest(forest: Forest) -> Cells:
    most = int(np.diff(forest.starts).max())
    words = max(1, -(-most // _BITS))
    per_unit = _per_unit(forest.low, forest.high)
    buckets = _buckets(forest.rows, forest.low, per_unit)
    parting = (forest.rows != forest.point).any(axis=1)
    kinds = np.stack([np.ones_like(parting), parting, forest.votes < 0, forest.votes > 0])
    trees = [slice(start, stop) for start, stop in pairwise(forest.starts)]
    values = np.zeros((len(trees), len(per_unit), words * _BITS))
    for tree, rows in enumerate(trees):
        values[tree, :, : rows.stop - rows.start] = forest.rows[rows].T
    return Cells(
        under=np.stack([_pack_bits(buckets[rows].T[:, None, :] < _EDGES, words) for rows in trees]),
        values=values,
        masks=np.stack([_pack_bits(kinds[:, rows], words) for rows in trees]),
        columns=np.stack([forest.low, forest.high, forest.point, per_unit], axis=1),
        second_wins=second_wins(forest.epsilon, most),
        labels=forest.labels,
        depth=forest.depth,
    )


def second_wins(epsilon: float, most: int) -> FloatArray:
    """P(second class) under permute-and-flip, where it leads by −most, …, most: the one behind wins with ½e^(−ε·gap).

    The exponential mechanism would give it e^(−ε·gap)/(1 + e^(−ε·gap)). An empty leaf's label is uniform, as at a gap
    of 0.

    >>> second_wins(1.0, 1).round(3).tolist()
    [0.184, 0.5, 0.816]
    """
    lead = np.arange(-most, most + 1)
    with np.errstate(over="ignore"):
        behind = np.exp(-epsilon * np.abs(lead)) / 2
    return np.where(lead > 0, 1 - behind, behind)


def _per_unit(low: FloatArray, high: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", over="ignore"):
        per_unit = _BUCKETS / (high - low)
    return np.where(np.isfinite(per_unit), per_unit, 0.0)


def _buckets(rows: FloatArray, low: FloatArray, per_unit: FloatArray) -> IntArray:
    """The bucket of each number; −1 for those surely below the box, where rounding can put them."""
    with np.errstate(over="ignore"):
        return np.clip((rows - low) * per_unit, -1.0, _BUCKETS - 1.0).astype(np.int64)


def _pack_bits(chosen: BoolArray, words: int) -> Masks:
    """Rows, the last axis, as bits, the first row lowest."""
    bits = np.zeros((*chosen.shape[:-1], words * _BITS), dtype=bool)
    bits[..., : chosen.shape[-1]] = chosen
    return np.packbits(bits, axis=-1, bitorder="little").view("<u8").astype(np.uint64)


@inlined
def _count_bits(mask: Any) -> Any:
    """How many bits are set; the compiler knows this form, and makes it one instruction."""
    mask -= (mask >> _ONE) & _TWOS
    mask = (mask & _FOURS) + ((mask >> _U2) & _FOURS)
    mask = (mask + (mask >> _U4)) & _EIGHTS
    return np.int64((mask * _BYTES) >> _U56)


@inlined
def _draw_unit(state: Any) -> Any:
    """As the library's: 53 bits in [0, 1)."""
    return np.float64(word(state) >> _U11) * _UNIT


@inlined
def _draw_below(state: Any, n: Any) -> Any:
    """A number under n; uniform but for a part of n/2^32."""
    return np.int64(((word(state) >> _U32) * np.uint64(n)) >> _U32)


@inlined
def _find_at_most(threshold: Any, inside: Any, under: Any, values: Any, columns: Any, where: Any) -> Any:
    """Which rows have at most the threshold in a column, of those inside; `where` is their tree, column and word."""
    tree, feature, at = where
    # Differences, products and truncation keep order: a row in a lower bucket needs no comparison.
    bucket = min(int((threshold - columns[feature, _LOW]) * columns[feature, _PER_UNIT]), _BUCKETS - 1)
    found = under[tree, feature, bucket, at]
    close = under[tree, feature, bucket + 1, at] & ~found & inside
    while close != _NONE:
        lowest = close & (~close + _ONE)
        if values[tree, feature, at * _BITS + _count_bits(lowest - _ONE)] <= threshold:
            found |= lowest
        close ^= lowest
    return found


@inlined
def _draw_threshold(cell: Any, columns: Any, feature: Any, state: Any) -> Any:
    """Draw a threshold within the cell, and keep the side of it that x* is on."""
    low, high = cell[feature, _LOW], cell[feature, _HIGH]
    threshold = low + (high - low) * _draw_unit(state)
    left = columns[feature, _POINT] <= threshold
    cell[feature, _LOW] = low if left else threshold
    cell[feature, _HIGH] = threshold if left else high
    return threshold, _NONE if left else ~_NONE


@inlined
def _lead(tree: Any, masks: Any, inside: Any) -> Any:
    """By how many the second class leads among the rows inside."""
    lead = 0
    for at in range(len(inside)):
        lead += _count_bits(inside[at] & masks[tree, _SECOND, at]) - _count_bits(inside[at] & masks[tree, _FIRST, at])
    return lead


@compiled
def _draw_labels(cells: Any, key: Any, out: Any) -> Any:
    # Names of their own: an array that is taken from the tuple in a loop is counted there, atomically, each time.
    under, values, masks, columns, chances, labels, depth = cells
    state = np.empty(4, np.uint64)
    inside = np.empty(masks.shape[2], np.uint64)
    cell = columns[:, :_POINT].copy()
    used = np.empty(depth, np.int64)
    for row in range(len(out)):
        seed_stream(key, row, state)
        for tree in range(out.shape[1]):
            parting = _NONE
            for at in range(len(inside)):
                inside[at] = masks[tree, _ROWS, at]
                parting |= masks[tree, _PARTING, at]
            splits = 0
            # Once only copies of x* are left, or nothing, no further split changes what the leaf holds.
            while parting != _NONE and splits < depth:
                feature = _draw_below(state, len(cell))
                threshold, turned = _draw_threshold(cell, columns, feature, state)
                parting = _NONE
                for at in range(len(inside)):
                    left = _find_at_most(threshold, inside[at], under, values, columns, (tree, feature, at))
                    inside[at] &= left ^ turned
                    parting |= inside[at] & masks[tree, _PARTING, at]
                used[splits] = feature
                splits += 1
            for split in range(splits):
                cell[used[split], _LOW] = columns[used[split], _LOW]
                cell[used[split], _HIGH] = columns[used[split], _HIGH]
            chance = chances[_lead(tree, masks, inside) + (len(chances) >> 1)]
            out[row, tree] = labels[1] if _draw_unit(state) < chance else labels[0]


@dataclass(frozen=True, eq=False)
class Batch:
    """Draws of τ on one dataset."""

    cells: Cells

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """τ of n forests."""
        out = np.empty((n, len(self.cells.masks)))
        _draw_labels(self.cells, key_of(seed), out)
        return out


def prepare(mechanism: RandomForest, data: Dataset, target: FloatArray | None) -> Batch:
    """What all trainings on D share."""
    return Batch(_pack_forest(read_forest(mechanism, data, target)))


SAMPLER = SamplerSpec(prepare=prepare, stands_for={"diffprivlib": "0.6.6"}, refusal=_random_forest.refusal)
