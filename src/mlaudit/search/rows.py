"""Moves that replace, relabel, zero, add or remove rows."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial

import numpy as np

from mlaudit.attacks._rows import take_first
from mlaudit.search.move import Move, Setting
from mlaudit.search.region import extreme_rows, fill_point, move_inside
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.clipping import move_near
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label
from mlaudit.types.edits import (
    add_rows,
    find_unequal,
    first_rows,
    mark_whole_units,
    relabel_rows,
    remove_rows,
    replace_rows,
)
from mlaudit.types.pair import Pair
from mlaudit.types.units import count_rows_of, number_units
from mlaudit.types.zeroing import is_null

_POSITIONS = ("last", "first", "middle")
_LAST = "the last rows"
_ZEROS = "rows of zeros"
_LARGEST = "the largest units"
Point = tuple[str, FloatArray, Label | None]


def move_to_points(setting: Setting, points: Iterable[Point]) -> Iterator[Move]:
    """Yield moves that put rows at each point in one way, then in the next: as new rows, or in place of others."""
    data = setting.data
    drawn = list(points)  # all at once, so that the generator of a search is used alike however many moves are taken
    inside = cache(lambda at: move_inside(data, drawn[at][1]))  # most points are never looked at
    for how, where in _ways(setting):
        for at, (name, _, label) in enumerate(drawn):
            yield _move_to(data, name, inside(at), label, how, where)


def move_to_values(setting: Setting, points: Iterable[Point]) -> Iterator[Move]:
    """Yield moves that put rows at points as they are, inside the domain or not; an ascent leaves them alone."""
    data = setting.data
    found = list(points)
    for how, where in _ways(setting):
        yield from (replace(_move_to(data, *point, how, where), at=None, elsewhere=None) for point in found)


def _ways(setting: Setting) -> Iterator[tuple[str, str]]:
    """The ways to put rows at a point; those that are one step under the claim come first."""
    if "add" in setting.changes:
        yield from ((f"added {position}", position) for position in _POSITIONS)
    if "replace" in setting.changes:
        if setting.data.units is not None:
            yield "in place of the largest unit", _LARGEST
        for whose in ("",) if setting.data.y is None else ("of its label", "of another label"):
            yield f"in place of the farthest {whose}".strip(), whose
        yield "in place of the last", _LAST
    if "zero" in setting.changes:
        yield "in place of zeros", _ZEROS


def _move_to(data: Dataset, name: str, x: FloatArray, label: Label | None, how: str, where: str) -> Move:
    def make(rows: int) -> Pair:
        if where in _POSITIONS:
            return add_copies(data, x, label, rows, where)
        order = _order(data, x, label, where)
        given = None if where == _ZEROS else label  # rows of zeros keep their labels
        at = take_first(find_unequal(data, order, x, given), rows)
        return Pair(data, replace_rows(data, at, x, given), target=move_near(x, data.domain))

    def elsewhere(point: FloatArray) -> Move:
        return _move_to(data, name, move_inside(data, point), label, how, where)

    said = "" if label is None else f", label {label!r}"
    return Move(f"{name}{said}, {how}", make, x, elsewhere)


def _order(data: Dataset, x: FloatArray, label: Label | None, where: str) -> IntArray:
    """The positions of rows to replace, in order."""
    if where == _LAST:
        return np.arange(len(data))[::-1]
    if where == _LARGEST:
        return sort_by_unit(data)
    if where == _ZEROS:  # a row of zeros keeps its label
        mine = mark_whole_units(data, is_null(data.X, data.domain))
        return np.flatnonzero(mine if data.y is None else mine & (data.y == label))
    return _sort_farthest(data, x, label, where)


def zero_first(data: Dataset, order: IntArray, rows: int) -> Pair:
    """Zero the first `rows` rows of `order`, which keep their labels; rows of zeros are passed over."""
    at = take_first(find_unequal(data, order, np.zeros(data.X.shape[1])), rows)
    return Pair(data, replace_rows(data, at, 0.0), target=move_near(data.X[at[0]], data.domain))


def relabel_first(data: Dataset, order: IntArray, rows: int, label: Label) -> Pair:
    """Give the first `rows` rows of `order` another label; rows that have it are passed over."""
    at = take_first(find_unequal(data, order, label=label), rows)
    return Pair(data, relabel_rows(data, at, label), target=data.X[at[0]])


def add_copies(data: Dataset, x: FloatArray, label: Label | None, rows: int, position: str) -> Pair:
    """Add `rows` copies of (x, label) as the first, the middle or the last rows."""
    at = {"first": 0, "middle": len(data) // 2, "last": len(data)}[position]
    return Pair(data, add_rows(data, [at] * rows, x, label), target=move_near(x, data.domain))


def remove_first(data: Dataset, order: IntArray, rows: int) -> Pair:
    """Remove the first `rows` rows of `order`."""
    at = take_first(first_rows(data, order), rows)
    return Pair(data, remove_rows(data, at), target=data.X[at[0]])


def move_by_removal(setting: Setting, name: str, order: IntArray) -> Iterator[Move]:
    """Yield the move that removes the first rows of `order`, if rows may be removed."""
    if "remove" in setting.changes:
        yield Move(name, partial(remove_first, setting.data, order))


def sort_by_unit(data: Dataset) -> IntArray:
    """Positions of all rows, those of the largest unit first; in order where every row is a unit of its own.

    >>> sort_by_unit(Dataset([0.0, 1.0, 2.0], units=[7, 8, 8])).tolist()
    [1, 2, 0]
    """
    if data.units is None:
        return np.arange(len(data))
    return np.argsort(-count_rows_of(data.units)[number_units(data.units)], kind="stable")


def sort_by_distance(data: Dataset, x: FloatArray) -> IntArray:
    """Positions of all rows, the farthest from x first, each column in units of the domain's width."""
    low, high = extreme_rows(data)
    width = np.where(high > low, high - low, 1.0)
    return np.argsort(-np.abs((data.finite - fill_point(data, x)) / width).sum(axis=1), kind="stable")


def _sort_farthest(data: Dataset, x: FloatArray, label: Label | None, whose: str) -> IntArray:
    order = sort_by_distance(data, x)
    if data.y is None:
        return order
    return np.asarray(order[(data.y[order] == label) == (whose == "of its label")])
