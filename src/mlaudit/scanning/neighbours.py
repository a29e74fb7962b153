"""The neighbours that every scan compares with D: one row added, removed or moved where a careless learner leaks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mlaudit.search.region import extreme_rows
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.claim import Relation
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Label
from mlaudit.types.edits import add_rows, first_rows, relabel_rows, remove_rows, replace_rows
from mlaudit.types.matching import differ_in_bytes, is_aligned
from mlaudit.types.pair import Pair
from mlaudit.types.zeroing import has_null


@dataclass(frozen=True)
class Neighbour:
    """A pair one step apart, and its change in words."""

    shared_in_files: ClassVar[bool] = True  # many leaks of a scan have the same neighbour, with all its rows

    change: str
    pair: Pair


def neighbours(data: Dataset, relation: Relation = Relation.REPLACE_ONE) -> tuple[Neighbour, ...]:
    """Every targeted neighbour of D inside its domain; D itself is the base of most of them.

    Under label-only and zero-out these are the pairs one step apart. Otherwise rows are replaced, added and removed,
    so that leaks under a relation that is not claimed are seen as well. If D has units, a row stands for its unit.

    The others start from datasets that are as legal as D and leave a learner nothing to hide a row behind: a class
    with a single member, a row far from all others, and all rows at one bound. A claim holds for those as well.

    >>> made = neighbours(Dataset([[0.0], [0.4], [1.0]], y=[0, 0, 1]))
    >>> len(made), made[0].change, {one.pair.rows for one in made}
    (18, 'the first row less', {1})
    """
    found: dict[tuple[str, str], Neighbour] = {}
    made = _of_zeros(data) if relation is Relation.ZERO_OUT else _candidates(data)
    for change, base, other in made:
        key = (base.digest, other.digest)
        relabelled = is_aligned(base, other) and not differ_in_bytes(base.X, other.X).any()
        if relation is Relation.LABEL_ONLY and not relabelled:
            continue
        if base.digest != other.digest and key not in found:
            found[key] = Neighbour(change, Pair(base, other))
    return tuple(found.values())


def _candidates(data: Dataset) -> Iterator[tuple[str, Dataset, Dataset]]:
    n, (low, high) = len(data), extreme_rows(data)
    positions = (("first", 0), ("middle", n // 2), ("last", n - 1))
    several = len(first_rows(data, np.arange(n))) > 1
    if several:
        for name, at in positions:
            yield f"the {name} row less", data, remove_rows(data, at)
    for name, at in (("first", 0), ("middle", n // 2), ("last", n)):
        yield f"a row at the upper bound more, as the {name}", data, add_rows(data, at, high, _label(data, 0))
    yield "a row at the lower bound more, as the last", data, add_rows(data, n, low, _label(data, 0))
    yield "a copy of the first row more", data, add_rows(data, n, data.X[0], _label(data, 0))
    for name, at in (("first", 0), ("last", n - 1)):
        yield f"the {name} row moved to the lower bound", data, replace_rows(data, at, low, _label(data, at))
        yield f"the {name} row moved to the upper bound", data, replace_rows(data, at, high, _label(data, at))
    if several:
        yield "the last row made a copy of the first", data, replace_rows(data, n - 1, data.X[0], _label(data, 0))
    yield from _at_bounds(data, low, high)
    yield from _of_odd_values(data)
    if data.y is not None:
        yield from _of_labels(data, data.y)
        yield from _of_lone_labels(data, data.y, low, high)


def _at_bounds(data: Dataset, low: FloatArray, high: FloatArray) -> Iterator[tuple[str, Dataset, Dataset]]:
    """All rows but one at one bound: the other rows add nothing to the noise."""
    for here, name, there, other in ((low, "lower", high, "upper"), (high, "upper", low, "lower")):
        base = replace_rows(data, range(len(data)), here)
        label = _label(data, 0)
        yield (
            f"all rows at the {name} bound, the first moved to the {other}",
            base,
            replace_rows(base, 0, there, label),
        )
        more = add_rows(base, len(base), there, label)
        yield f"all rows at the {name} bound, one at the {other} more", base, more


def _of_odd_values(data: Dataset) -> Iterator[tuple[str, Dataset, Dataset]]:
    """The first row of a typed table with no value, or with an unseen text, in one column; also as a row more."""
    domain = data.domain if isinstance(data.domain, Columns) else None
    for at in range(0 if domain is None else len(domain.columns)):
        for name, code in [] if domain is None else domain.odd_codes(at):
            row = data.X[0].copy()
            row[at] = code
            yield f"the first row with {name}", data, replace_rows(data, 0, row, _label(data, 0))
            yield f"a row with {name} more", data, add_rows(data, len(data), row, _label(data, 0))


def _of_labels(data: Dataset, y: AnyArray) -> Iterator[tuple[str, Dataset, Dataset]]:
    labels = np.unique(y)
    if len(labels) < 2:
        return
    for name, at in (("first", 0), ("last", len(y) - 1)):
        yield f"the {name} row's label changed", data, relabel_rows(data, at, _another_label(labels, y[at]))
    # A class of one: the rows of the rarest class but one are given another label.
    counts = [int((y == label).sum()) for label in labels]
    rare = labels[int(np.argmin(counts))]
    alone, *others = np.flatnonzero(y == rare).tolist()
    base = relabel_rows(data, others, _another_label(labels, rare))
    gone = relabel_rows(base, alone, _another_label(labels, rare))
    yield "the only row of a class given another label", base, gone
    if len(first_rows(base, np.arange(len(base)))) > 1:
        yield "the only row of a class less", base, remove_rows(base, alone)


def _of_lone_labels(
    data: Dataset, y: AnyArray, low: FloatArray, high: FloatArray
) -> Iterator[tuple[str, Dataset, Dataset]]:
    """A row by itself changes its label: no other row's label hides it."""
    labels = np.unique(y)
    if len(labels) < 2:
        return
    for name, at, row, bound in (("first", 0, high, "upper"), ("last", len(y) - 1, low, "lower")):
        base = replace_rows(data, at, row, y[at])
        changed = relabel_rows(base, at, _another_label(labels, y[at]))
        yield f"the {name} row, at the {bound} bound, given another label", base, changed


def _of_zeros(data: Dataset) -> Iterator[tuple[str, Dataset, Dataset]]:
    """A row becomes zeros, or zeros become a row, and keeps its label; nothing where zeros are outside the domain."""
    n, columns, (low, high) = len(data), data.X.shape[1], extreme_rows(data)
    if not has_null(columns, data.domain):
        return
    for name, at in (("first", 0), ("middle", n // 2), ("last", n - 1)):
        yield f"the {name} row zeroed", data, replace_rows(data, at, 0.0)
    longest = int(np.linalg.norm(data.finite, axis=1).argmax())
    yield "the longest row zeroed", data, replace_rows(data, longest, 0.0)
    for row, bound in ((low, "lower"), (high, "upper")):
        at_bound = replace_rows(data, 0, row)
        yield f"the first row, at the {bound} bound, zeroed", at_bound, replace_rows(data, 0, 0.0)
        everywhere = replace_rows(data, range(n), row)
        yield f"all rows at the {bound} bound, the first zeroed", everywhere, replace_rows(everywhere, 0, 0.0)
        empty = replace_rows(data, range(n), 0.0)
        yield f"all rows zero but one at the {bound} bound, which is zeroed", replace_rows(empty, 0, row), empty


def _another_label(labels: AnyArray, label: object) -> Label:
    other: Label = next(one for one in labels.tolist() if one != label)
    return other


def _label(data: Dataset, at: int) -> AnyArray | None:
    return None if data.y is None else np.asarray(data.y[at])
