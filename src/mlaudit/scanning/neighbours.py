"""Neighbours that a careless learner gives away: one row more, less or moved, where it hurts most."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label
from mlaudit.types.pair import Pair

_FAR = 1e6  # further than any domain reaches: projected, it is an extreme row


@dataclass(frozen=True)
class Neighbour:
    """A pair one step apart, and in words what was done."""

    change: str
    pair: Pair


def neighbours(data: Dataset) -> tuple[Neighbour, ...]:
    """Every targeted neighbour of D inside its domain; D itself is the base of most of them.

    The others start from datasets as legal as D on which a learner has nothing to hide behind: a class with a single
    member, a row far from all others, and all rows at one bound. Differential privacy is a promise about those, too.

    >>> made = neighbours(Dataset([[0.0], [0.4], [1.0]], y=[0, 0, 1]))
    >>> len(made), made[0].change, {one.pair.rows for one in made}
    (18, 'the first row less', {1})
    """
    found: dict[tuple[str, str], Neighbour] = {}
    for change, base, other in _candidates(data):
        key = (base.digest, other.digest)
        if base.digest != other.digest and key not in found:
            found[key] = Neighbour(change, Pair(base, other))
    return tuple(found.values())


def extremes(data: Dataset) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest legal row."""
    low, high = data.X.min(axis=0), data.X.max(axis=0)
    if data.domain is None:
        return low, high
    ends = data.domain.project(np.vstack([np.full_like(low, -_FAR), np.full_like(high, _FAR)]))
    return ends[0], ends[1]


def _candidates(data: Dataset) -> Iterator[tuple[str, Dataset, Dataset]]:
    n, (low, high) = len(data), extremes(data)
    places = (("first", 0), ("middle", n // 2), ("last", n - 1))
    if n > 1:
        for name, at in places:
            yield f"the {name} row less", data, _without(data, at)
    for name, at in (("first", 0), ("middle", n // 2), ("last", n)):
        yield f"a row at the upper bound more, as the {name}", data, _with(data, at, high, _label(data, 0))
    yield "a row at the lower bound more, as the last", data, _with(data, n, low, _label(data, 0))
    yield "a copy of the first row more", data, _with(data, n, data.X[0], _label(data, 0))
    for name, at in (("first", 0), ("last", n - 1)):
        yield f"the {name} row moved to the lower bound", data, _moved(data, at, low, _label(data, at))
        yield f"the {name} row moved to the upper bound", data, _moved(data, at, high, _label(data, at))
    if n > 1:
        yield "the last row made a copy of the first", data, _moved(data, n - 1, data.X[0], _label(data, 0))
    yield from _at_bounds(data, low, high)
    if data.y is not None:
        yield from _of_labels(data, data.y)
        yield from _of_lone_labels(data, data.y, low, high)


def _at_bounds(data: Dataset, low: FloatArray, high: FloatArray) -> Iterator[tuple[str, Dataset, Dataset]]:
    """All rows but one at one bound: what is added to the noise by the others is nothing."""
    for here, name, there, other in ((low, "lower", high, "upper"), (high, "upper", low, "lower")):
        base = data.with_rows(np.tile(here, (len(data), 1)), data.y)
        label = _label(data, 0)
        yield f"all rows at the {name} bound, the first moved to the {other}", base, _moved(base, 0, there, label)
        more = _with(base, len(base), there, label)
        yield f"all rows at the {name} bound, one at the {other} more", base, more


def _of_labels(data: Dataset, y: AnyArray) -> Iterator[tuple[str, Dataset, Dataset]]:
    labels = np.unique(y)
    if len(labels) < 2:
        return
    for name, at in (("first", 0), ("last", len(y) - 1)):
        yield f"the {name} row's label changed", data, _moved(data, at, data.X[at], _another(labels, y[at]))
    # A class of one: the rows of the rarest class but one are given another label.
    counts = [int((y == label).sum()) for label in labels]
    rare = labels[int(np.argmin(counts))]
    alone = int(np.flatnonzero(y == rare)[0])
    single = np.where(y == rare, _another(labels, rare), y)
    single[alone] = rare
    base = data.with_rows(data.X, single)
    gone = _moved(base, alone, data.X[alone], _another(labels, rare))
    yield "the only row of a class given another label", base, gone
    if len(data) > 1:
        yield "the only row of a class less", base, _without(base, alone)


def _of_lone_labels(
    data: Dataset, y: AnyArray, low: FloatArray, high: FloatArray
) -> Iterator[tuple[str, Dataset, Dataset]]:
    """A row by itself, whose label changes: nobody else's label hides it."""
    labels = np.unique(y)
    if len(labels) < 2:
        return
    for name, at, row, bound in (("first", 0, high, "upper"), ("last", len(y) - 1, low, "lower")):
        base = _moved(data, at, row, y[at])
        changed = _moved(data, at, row, _another(labels, y[at]))
        yield f"the {name} row, at the {bound} bound, given another label", base, changed


def _another(labels: AnyArray, label: object) -> Label:
    other: Label = next(one for one in labels.tolist() if one != label)
    return other


def _label(data: Dataset, at: int) -> object:
    return None if data.y is None else data.y[at]


def _without(data: Dataset, at: int) -> Dataset:
    return data.with_rows(np.delete(data.X, at, axis=0), None if data.y is None else np.delete(data.y, at))


def _with(data: Dataset, at: int, row: FloatArray, label: object) -> Dataset:
    y = None if data.y is None else np.insert(data.y, at, np.asarray(label))
    return data.with_rows(np.insert(data.X, at, row, axis=0), y)


def _moved(data: Dataset, at: int, row: FloatArray, label: object) -> Dataset:
    X, y = data.X.copy(), None if data.y is None else data.y.copy()
    X[at] = row
    if y is not None:
        y[at] = np.asarray(label)
    return data.with_rows(X, y)
