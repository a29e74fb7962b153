"""Rows that keep their place and get every other label: extreme rows, lonely ones, and those first and last."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from mlaudit.attacks._rows import corner_distance
from mlaudit.searching.move import Move, Setting
from mlaudit.searching.region import labels_of
from mlaudit.searching.rows import relabelled
from mlaudit.types.arrays import AnyArray, IntArray
from mlaudit.types.dataset import Dataset


def label_flips(setting: Setting) -> Iterator[Move]:
    """Every class's rows, in several orders, given every other label."""
    data = setting.data
    if data.y is None or "replace" not in setting.changes:
        return
    labels = [label for label in labels_of(data) if label is not None]
    for name, order in _orders(data, data.y):
        for old in np.unique(data.y[order]).tolist() if len(labels) > 2 else [data.y[order[0]].item()]:
            mine = order[data.y[order] == old]
            for new in labels:
                if new != old:
                    said = f"the label of the {name} row of {old!r} made {new!r}"
                    yield Move(said, partial(relabelled, data, mine, label=new))


def _orders(data: Dataset, y: AnyArray) -> Iterator[tuple[str, IntArray]]:
    distance = np.abs(data.X - np.median(data.X, axis=0)).sum(axis=1)
    rarity = np.unique(y, return_counts=True)[1][np.unique(y, return_inverse=True)[1]]
    yield "most extreme", np.argsort(corner_distance(data.X), kind="stable")
    yield "loneliest", np.argsort(-distance, kind="stable")
    yield "rarest", np.argsort(rarity, kind="stable")
    yield "last", np.arange(len(data))[::-1]
    yield "first", np.arange(len(data))
    yield "most central", np.argsort(distance, kind="stable")
