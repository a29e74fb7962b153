"""A pair row by row: what is in both datasets, what is in one, and what stands in place of what."""

from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain, Label
from mlaudit.types.pair import Pair

Row = tuple[tuple[float, ...], Label | None]


@dataclass(frozen=True)
class Slot:
    """A row of D and the row of D′ at its place; None where there is none."""

    base: Row | None
    neighbour: Row | None

    @property
    def changed(self) -> bool:
        """Whether the two differ."""
        return self.base != self.neighbour

    @property
    def rows(self) -> tuple[Row, ...]:
        """What there is of it."""
        return tuple(row for row in (self.base, self.neighbour) if row is not None)


def slots_of(pair: Pair) -> list[Slot]:
    """The pair as slots, in order.

    >>> slots = slots_of(Pair(Dataset([0.0, 1.0]), Dataset([0.0, 1.0, 2.0])))
    >>> [slot.changed for slot in slots], slots[-1].base
    ([False, False, True], None)
    """
    base, neighbour = _rows(pair.base), _rows(pair.neighbour)
    if len(base) == len(neighbour):
        return [Slot(a, b) for a, b in zip(base, neighbour, strict=True)]
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, base, neighbour, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Slot(row, row) for row in base[a:b]]
        else:
            found += [Slot(row, None) for row in base[a:b]] + [Slot(None, row) for row in neighbour[c:d]]
    return found


def pair_of(slots: list[Slot], domain: Domain | None, *, target: bool) -> Pair:
    """The pair that the slots make; x*, if there is one, is the first changed row."""
    base = _dataset([slot.base for slot in slots if slot.base is not None], domain)
    neighbour = _dataset([slot.neighbour for slot in slots if slot.neighbour is not None], domain)
    changed = next(slot.rows[-1] for slot in slots if slot.changed)
    return Pair(base, neighbour, np.array(changed[0]) if target else None)


def _rows(data: Dataset) -> list[Row]:
    labels = [None] * len(data) if data.y is None else data.y.tolist()
    return [(tuple(x), label) for x, label in zip(data.X.tolist(), labels, strict=True)]


def _dataset(rows: list[Row], domain: Domain | None) -> Dataset:
    X: FloatArray = np.array([x for x, _ in rows], dtype=float)
    labels = [label for _, label in rows]
    return Dataset(X, None if not labels or labels[0] is None else np.array(labels), domain, "minimal witness")
