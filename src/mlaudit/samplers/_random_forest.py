"""D as diffprivlib's RandomForestClassifier reads it: what all its trainings share."""

from typing import NamedTuple

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.mechanisms._diffprivlib import require_domain
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.types.arrays import AnyArray, FloatArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box

_LARGEST = 1e38  # next to float32's own largest, rounding has cases of its own


class Forest(NamedTuple):
    """D as the library's forest sees it, for kernels.

    Row i goes left where rows[i, f] ≤ threshold, x* where point[f] ≤ threshold. Tree t has rows starts[t] to
    starts[t + 1]. votes[i] is +1 where a leaf counts row i for the second class, −1 for the first, 0 for neither.
    """

    rows: FloatArray
    votes: IntArray
    starts: IntArray
    low: FloatArray
    high: FloatArray
    point: FloatArray
    labels: FloatArray
    epsilon: float
    depth: int


def refusal(mechanism: RandomForest, data: Dataset) -> str:
    """Why these samplers cannot stand in for the library here, if so."""
    box: Box = require_domain(Box, data)
    if data.y is None or box.labels is None or len(box.labels) != 2:
        return "it supports two classes only, and D has more or fewer"
    if any(isinstance(label, str) for label in box.labels):
        return "the labels are not numbers"
    if max(np.abs(numbers).max() for numbers in (data.X, box.low, box.high)) > _LARGEST:
        return "a number is too large for float32"
    return ""


def read_forest(mechanism: RandomForest, data: Dataset, target: FloatArray | None) -> Forest:
    """What fit and summary compute before the first random number."""
    if target is None:
        raise InvalidInput("random_forest is summarised at the changed point, got a pair without a target")
    reason = refusal(mechanism, data)
    if reason:
        raise InvalidInput(f"random_forest cannot be drawn by a sampler: {reason}; use the library's own fit")
    box: Box = require_domain(Box, data)
    low, high = (np.array(np.broadcast_to(corner, data.X.shape[1])) for corner in (box.low, box.high))
    classes = np.ravel(list(box.labels or ()))
    return Forest(
        rows=_comparable_rows(_clip_rows(data.X.astype(np.float32), low, high)),
        votes=_votes(np.asarray(data.y), classes),
        starts=_starts(len(data), mechanism.trees),
        low=low,
        high=high,
        point=target.astype(np.float32).astype(float),  # not clipped, and compared in float64
        labels=classes.astype(float),
        epsilon=float(mechanism.epsilon),
        depth=int(mechanism.depth),
    )


def _clip_rows(rows: AnyArray, low: FloatArray, high: FloatArray) -> AnyArray:
    """The library's clip_to_bounds: rows become float64 if all columns have one range, and else stay float32."""
    if np.allclose(low, low.min()) and np.allclose(high, high.max()):
        return np.clip(rows, low.min(), high.max())
    return np.clip(rows, low, high).astype(rows.dtype)


def _comparable_rows(rows: AnyArray) -> FloatArray:
    """Numbers v so that v ≤ threshold, in float64, just where the library's x ≤ threshold holds.

    numpy compares a float32 x with a Python float in float32: with the threshold rounded to nearest, ties to even.
    So v is where rounding starts to give x: half way from the number before it, or just above that for an odd x.
    """
    if np.result_type(rows.dtype.type(0), 0.5) == np.float64:  # before numpy 2, also for float32
        return np.array(rows, dtype=float, order="C")
    single = np.ascontiguousarray(rows, dtype=np.float32)
    before = np.nextafter(single, np.float32(-np.inf)).astype(float)
    half_way = (before + single.astype(float)) / 2
    odd = (single.view(np.uint32) & np.uint32(1)).astype(bool)
    return np.asarray(np.where(odd, np.nextafter(half_way, np.inf), half_way))


def _votes(y: AnyArray, classes: AnyArray) -> IntArray:
    """Which class a leaf counts each row for.

    The forest turns labels into positions among the classes, and its trees compare these positions with the labels:
    only labels 0 and 1 are counted as they should be.
    """
    positions = np.searchsorted(classes, y).astype(float)
    first, second = (np.asarray(positions == label) for label in classes)
    return second.astype(np.int64) - first.astype(np.int64)


def _starts(n: int, trees: int) -> IntArray:
    """Where each tree's rows start: rows go to trees in their order."""
    tree_of = (np.arange(n) // (n / trees)).astype(np.int64)
    return np.searchsorted(tree_of, np.arange(trees + 1)).astype(np.int64)
