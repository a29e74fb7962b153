"""The null record of the zero-out relation: a row of zeros that keeps its label.

See docs/decisions/044-label-only-and-zero-out.md.
"""

import numpy as np

from mlaudit.types.arrays import BoolArray, FloatArray
from mlaudit.types.clipping import is_outside
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain
from mlaudit.types.matching import differ_in_bytes


def is_null(X: FloatArray, domain: Domain | None) -> BoolArray:
    """Which rows are null records: all zeros, inside the declared domain. -0.0 is not zero: rows are bytes.

    A learner that promises to clip would turn a row of zeros outside its bounds into an ordinary row.

    >>> is_null(np.array([[0.0, 0.0], [0.0, 1.0], [0.0, -0.0]]), None).tolist()
    [True, False, False]
    """
    zeros = np.zeros((1, X.shape[1]))
    if not has_null(X.shape[1], domain):
        return np.zeros(len(X), dtype=bool)
    return ~differ_in_bytes(X, np.broadcast_to(zeros, X.shape))


def has_null(columns: int, domain: Domain | None) -> bool:
    """Whether the null record lies in a domain; everywhere if none is declared.

    >>> from mlaudit.types.domain import Box
    >>> has_null(2, Box(-1.0, 1.0)), has_null(2, Box(5.0, 6.0)), has_null(2, None)
    (True, False, True)
    """
    if isinstance(domain, Columns) and not domain.describes_numbers:
        return False  # the code 0 of a category is a value like any other
    zeros = np.zeros((1, columns))
    return domain is None or (bool(domain.contains(zeros)[0]) and not is_outside(zeros, domain)[0])


def count_zeroed(base: Dataset, neighbour: Dataset) -> int:
    """Count the steps of the zero-out relation between two datasets of equal size, position by position.

    A row that becomes the null record with its own label, or was it, is one step. Every other change is two: by the
    triangle inequality, the row is taken out and another one is put in.

    >>> count_zeroed(Dataset([[1.0], [1.0], [0.0]]), Dataset([[0.0], [2.0], [0.0]]))
    3
    """
    moved = differ_in_bytes(base.X, neighbour.X)
    null = is_null(base.X, base.domain) | is_null(neighbour.X, base.domain)
    relabelled = np.zeros(len(base), dtype=bool)
    if base.y is not None and neighbour.y is not None:
        relabelled = np.asarray(base.y != neighbour.y)
    one = moved & null & ~relabelled
    return int(np.where(one, 1, 2 * (moved | relabelled)).sum())
