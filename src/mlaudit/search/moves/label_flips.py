"""Rows that keep their x and get every other label: extreme rows, lonely ones, the first and the last."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from mlaudit.attacks._rows import corner_distance
from mlaudit.search.move import Move, Setting
from mlaudit.search.region import labels_of
from mlaudit.search.rows import relabel_first, sort_by_unit
from mlaudit.types.arrays import AnyArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label


def label_flips(setting: Setting) -> Iterator[Move]:
    """Every class's rows, in several orders, given every other label."""
    data = setting.data
    if data.y is None or not {"replace", "relabel"} & {*setting.changes}:
        return
    labels = [label for label in labels_of(data) if label is not None]
    for name, order in _orders(data, data.y):
        for old, new in _flips(data.y[order].tolist(), labels):
            mine = order[data.y[order] == old]
            said = f"the label of the {name} row of {old!r} made {new!r}"
            yield Move(said, partial(relabel_first, data, mine, label=new))


def _flips(found: list[Label], labels: list[Label]) -> Iterator[tuple[Label, Label]]:
    """Every class to every other label, each label early; of two classes, and of numbers, the first row's alone.

    >>> list(_flips([2, 1, 1], [1, 2])), list(_flips(["a", "b"], ["a", "b", "c"]))[:3]
    ([(2, 1)], [('a', 'b'), ('b', 'c'), ('a', 'c')])
    """
    old = list(dict.fromkeys(found)) if len(labels) > 2 else found[:1]
    index = {label: i for i, label in enumerate(labels)}
    for step in range(1, len(labels) + 1):
        for label in old:
            new = labels[(index.get(label, 0) + step) % len(labels)]
            if new != label:
                yield label, new


def _orders(data: Dataset, y: AnyArray) -> Iterator[tuple[str, IntArray]]:
    distance = np.abs(data.finite - np.median(data.finite, axis=0)).sum(axis=1)
    rarity = np.unique(y, return_counts=True)[1][np.unique(y, return_inverse=True)[1]]
    if data.units is not None:
        yield "largest unit's", sort_by_unit(data)
    yield "most extreme", np.argsort(corner_distance(data.finite), kind="stable")
    yield "loneliest", np.argsort(-distance, kind="stable")
    yield "rarest", np.argsort(rarity, kind="stable")
    yield "last", np.arange(len(data))[::-1]
    yield "first", np.arange(len(data))
    yield "most central", np.argsort(distance, kind="stable")
