"""Rows replaced, added or removed: how moves make their pairs."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.searching.move import Move, Setting
from mlaudit.searching.region import ends, inside
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label
from mlaudit.types.pair import Pair

_PLACES = ("last", "first", "middle")
Point = tuple[str, FloatArray, Label | None]


def at_points(setting: Setting, points: Iterable[Point]) -> Iterator[Move]:
    """Rows put at every point in one way, then in the next: in place of the farthest rows, or as new ones."""
    data = setting.data
    found = [(name, inside(data, x), label) for name, x, label in points]
    for how, where in _ways(setting):
        yield from (_point(data, name, x, label, how, where) for name, x, label in found)


def _ways(setting: Setting) -> Iterator[tuple[str, str]]:
    """How rows come to a point; what a claim calls one step comes first."""
    if "add" in setting.changes:
        yield from ((f"added {place}", place) for place in _PLACES)
    if "replace" in setting.changes:
        for whose in ("",) if setting.data.y is None else ("of its label", "of another label"):
            yield f"in place of the farthest {whose}".strip(), whose


def _point(data: Dataset, name: str, x: FloatArray, label: Label | None, how: str, where: str) -> Move:
    def make(rows: int) -> Pair:
        if where in _PLACES:
            return added(data, x, label, rows, where)
        return replaced(data, _farthest(data, x, label, where), rows, x, label)

    def elsewhere(point: FloatArray) -> Move:
        return _point(data, name, inside(data, point), label, how, where)

    said = "" if label is None else f", label {label!r}"
    return Move(f"{name}{said}, {how}", make, x, elsewhere)


def replaced(data: Dataset, order: IntArray, rows: int, x: ArrayLike, label: Label | None) -> Pair:
    """D with the first `rows` rows of that order replaced by copies of (x, label); equal ones are passed over."""
    X, y = data.X.copy(), None if data.y is None else np.array(data.y)
    differ = (X[order] != x).any(axis=1)
    if y is not None:
        differ |= y[order] != label
    moved = order[differ][:rows]
    if len(moved) < rows:
        raise InvalidInput(f"there must be {rows} rows to change, got {len(moved)}; ask for fewer rows")
    X[moved] = x
    if y is not None:
        y[moved] = np.asarray(label)
    return Pair(data, data.with_rows(X, y), target=x)


def relabelled(data: Dataset, order: IntArray, rows: int, label: Label) -> Pair:
    """D with the label of the first `rows` rows of that order changed."""
    y = np.array(data.y)
    moved = order[y[order] != label][:rows]
    if len(moved) < rows:
        raise InvalidInput(f"there must be {rows} labels to change, got {len(moved)}; ask for fewer rows")
    y[moved] = label
    return Pair(data, data.with_rows(data.X, y), target=data.X[moved[0]])


def added(data: Dataset, x: FloatArray, label: Label | None, rows: int, place: str) -> Pair:
    """D with `rows` copies of (x, label) more."""
    at = {"first": 0, "middle": len(data) // 2, "last": len(data)}[place]
    X = np.insert(data.X, [at] * rows, x, axis=0)
    y = None if data.y is None else np.insert(data.y, [at] * rows, np.asarray(label))
    return Pair(data, data.with_rows(X, y), target=x)


def removed(data: Dataset, order: IntArray, rows: int) -> Pair:
    """D without the first `rows` rows of that order."""
    if not 0 < rows < len(data) or len(order) < rows:
        raise InvalidInput(f"a dataset needs at least one row, got {rows} to remove of {len(data)}")
    gone = order[:rows]
    y = None if data.y is None else np.delete(data.y, gone)
    return Pair(data, data.with_rows(np.delete(data.X, gone, axis=0), y), target=data.X[gone[0]])


def less(setting: Setting, name: str, order: IntArray) -> Iterator[Move]:
    """Those rows left out, where rows may be removed."""
    if "remove" in setting.changes:
        yield Move(name, partial(removed, setting.data, order))


def by_distance(data: Dataset, x: FloatArray) -> IntArray:
    """Rows, the farthest from x first, each column in units of the domain's width."""
    low, high = ends(data)
    width = np.where(high > low, high - low, 1.0)
    return np.argsort(-np.abs((data.X - x) / width).sum(axis=1), kind="stable")


def _farthest(data: Dataset, x: FloatArray, label: Label | None, whose: str) -> IntArray:
    order = by_distance(data, x)
    if data.y is None:
        return order
    return np.asarray(order[(data.y[order] == label) == (whose == "of its label")])
