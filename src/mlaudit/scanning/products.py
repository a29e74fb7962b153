"""Read products of attributes: counts times means are the sums that a learner added its noise to."""

from itertools import product

import numpy as np

from mlaudit.scanning.walk import Readings, numbers

PRODUCT = " × "
_MOST = 200


def read_products(model: object) -> Readings:
    """Multiply every list of numbers with every table that has as many rows.

    >>> class Model:
    ...     count_, mean_ = np.array([2.0, 3.0]), np.array([[0.5], [1.0]])
    ...     def __init__(self):
    ...         self.count_, self.mean_ = Model.count_, Model.mean_
    >>> read_products(Model())
    {'count_ × mean_[0, 0]': 1.0, 'count_ × mean_[1, 0]': 3.0}
    """
    arrays = {name: value for name, value in getattr(model, "__dict__", {}).items() if _is_small_array(value)}
    lists = {name: value for name, value in arrays.items() if value.ndim == 1 and value.dtype.kind == "f"}
    tables = {name: value for name, value in arrays.items() if value.ndim == 2}
    found: Readings = {}
    for (one, weights), (many, table) in product(lists.items(), tables.items()):
        if len(weights) == len(table):
            found |= numbers(f"{one}{PRODUCT}{many}", weights[:, None] * table)
    return found


def _is_small_array(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.size <= _MOST
