"""Rows that become zeros and keep their labels: the longest, the first, the last, the loneliest, each class's."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from mlaudit.search.move import Move, Setting
from mlaudit.search.rows import sort_by_unit, zero_first
from mlaudit.types.arrays import IntArray
from mlaudit.types.dataset import Dataset


def zeroed_rows(setting: Setting) -> Iterator[Move]:
    """D with rows zeroed, in several orders; moves to points fill rows of zeros instead."""
    if "zero" in setting.changes:
        for name, order in _orders(setting.data):
            yield Move(f"{name} zeroed", partial(zero_first, setting.data, order))


def _orders(data: Dataset) -> Iterator[tuple[str, IntArray]]:
    n, sums = len(data), data.finite.sum(axis=1)
    distance = np.abs(data.finite - np.median(data.finite, axis=0)).sum(axis=1)
    if data.units is not None:
        yield "the largest unit", sort_by_unit(data)
    yield "the longest row", np.argsort(-np.linalg.norm(data.finite, axis=1), kind="stable")
    yield "the largest row", np.argsort(-sums, kind="stable")
    yield "the smallest row", np.argsort(sums, kind="stable")
    yield "the first row", np.arange(n)
    yield "the last row", np.arange(n)[::-1]
    yield "the loneliest row", np.argsort(-distance, kind="stable")
    if data.y is not None:
        for label in np.unique(data.y).tolist():
            yield f"the first row of {label!r}", np.argsort(data.y != label, kind="stable")
