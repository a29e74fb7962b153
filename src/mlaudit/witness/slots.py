"""A pair as a list of slots: each holds a row of D and the row of D′ that stands for it."""

from dataclasses import dataclass

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.clipping import move_near
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain, Label
from mlaudit.types.matching import match_rows
from mlaudit.types.pair import Pair

Row = tuple[tuple[float, ...], Label | None]


@dataclass(frozen=True)
class Slot:
    """A row of D and the row of D′ that stands for it; None on a side that has no such row."""

    base: Row | None
    neighbour: Row | None

    @property
    def changed(self) -> bool:
        """Whether the two rows differ."""
        return _bytes_of(self.base) != _bytes_of(self.neighbour)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the slot, one or two."""
        return tuple(row for row in (self.base, self.neighbour) if row is not None)


def slots_of(pair: Pair) -> list[Slot]:
    """The pair as slots, in order.

    >>> slots = slots_of(Pair(Dataset([0.0, 1.0]), Dataset([0.0, 1.0, 2.0])))
    >>> [slot.changed for slot in slots], slots[-1].base
    ([False, False, True], None)
    """
    base, neighbour = _rows(pair.base), _rows(pair.neighbour)
    return [
        Slot(
            None if match.base is None else base[match.base],
            None if match.neighbour is None else neighbour[match.neighbour],
        )
        for match in match_rows(pair.base, pair.neighbour)
    ]


def pair_of(slots: list[Slot], domain: Domain | None, *, target: bool) -> Pair:
    """The pair that the slots make; with `target`, x* is the first changed row."""
    base = _dataset([slot.base for slot in slots if slot.base is not None], domain)
    neighbour = _dataset([slot.neighbour for slot in slots if slot.neighbour is not None], domain)
    changed = next(slot.rows[-1] for slot in slots if slot.changed)
    return Pair(base, neighbour, move_near(np.array(changed[0]), domain) if target else None)


def _bytes_of(row: Row | None) -> tuple[bytes, Label | None] | None:
    """The row by its bytes, as datasets are compared: NaN equals NaN, and -0.0 is not 0.0."""
    return None if row is None else (np.array(row[0]).tobytes(), row[1])


def _rows(data: Dataset) -> list[Row]:
    labels = [None] * len(data) if data.y is None else data.y.tolist()
    return [(tuple(x), label) for x, label in zip(data.X.tolist(), labels, strict=True)]


def _dataset(rows: list[Row], domain: Domain | None) -> Dataset:
    X: FloatArray = np.array([x for x, _ in rows], dtype=float)
    labels = [label for _, label in rows]
    return Dataset(X, None if not labels or labels[0] is None else np.array(labels), domain, "minimal witness")
