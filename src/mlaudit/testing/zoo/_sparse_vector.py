"""What the sparse vector variants share: which of many queries are above a threshold (Lyu, Su, Li 2017)?

A query is a column's sum; a row in the unit box moves each by at most 1, up or down.
"""

import numpy as np
from numpy.random import Generator

from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

THRESHOLD = 0.5
REFERENCE = "Lyu, Su, Li 2017"


def find_above(data: Dataset, threshold_scale: float, query_scale: float, rng: Generator) -> BoolArray:
    """Which noisy queries are not below one noisy threshold."""
    queries = data.X.sum(axis=0)
    threshold = THRESHOLD + rng.laplace(0.0, threshold_scale)
    return np.asarray(queries + rng.laplace(0.0, query_scale, len(queries)) >= threshold)


def stop_after(found: BoolArray, most: int) -> FloatArray:
    """1 for above, 0 for below; −1 for the queries after `most` were above: these are not answered.

    >>> stop_after(np.array([False, True, False, True]), 1)
    array([ 0.,  1., -1., -1.])
    """
    return np.where(found.cumsum() - found < most, found, -1.0)


def answer_privately(data: Dataset, epsilon: float, most: int, rng: Generator) -> FloatArray:
    """Lyu, Su and Li's own: ε/2 for the threshold, ε/2 for `most` queries above, each of which counts twice."""
    return stop_after(find_above(data, 2 / epsilon, 4 * most / epsilon, rng), most)


def rise_and_fall(*lengths: int) -> Pair:
    """One row that is replaced: so many queries go up, then so many down, and so on.

    >>> rise_and_fall(2, 1).neighbour.X
    array([[1., 1., 0.]])
    """
    row = np.repeat(np.arange(len(lengths)) % 2, lengths).astype(float)
    return Pair(Dataset(row[None, :]), Dataset(1.0 - row[None, :]))
