"""A pair as a list of slots: each holds a row of D and the row of D′ that stands for it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.clipping import move_near
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Domain, Label
from mlaudit.types.matching import match_rows
from mlaudit.types.pair import Pair


class Row(NamedTuple):
    """A row, its label and its owner; None where the data have no labels or no units."""

    x: tuple[float, ...]
    label: Label | None = None
    owner: Label | None = None


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


def pair_of(slots: list[Slot], domain: Domain | None, *, target: bool, unit: str | None = None) -> Pair:
    """The pair that the slots make; with `target`, x* is the first changed row. `unit` says what owns rows."""
    base = _dataset([slot.base for slot in slots if slot.base is not None], domain, unit)
    neighbour = _dataset([slot.neighbour for slot in slots if slot.neighbour is not None], domain, unit)
    changed = next(slot.rows[-1] for slot in slots if slot.changed)
    return Pair(base, neighbour, move_near(np.array(changed.x), domain) if target else None)


def _bytes_of(row: Row | None) -> tuple[bytes, Label | None, Label | None] | None:
    """The row by its bytes, as datasets are compared: NaN equals NaN, and -0.0 is not 0.0."""
    return None if row is None else (np.array(row.x).tobytes(), row.label, row.owner)


def _rows(data: Dataset) -> list[Row]:
    labels, owners = ([None] * len(data) if part is None else part.tolist() for part in (data.y, data.units))
    return [Row(tuple(x), *rest) for x, *rest in zip(data.X.tolist(), labels, owners, strict=True)]


def _dataset(rows: list[Row], domain: Domain | None, unit: str | None) -> Dataset:
    X: FloatArray = np.array([row.x for row in rows], dtype=float)
    labels, owners = _array([row.label for row in rows]), _array([row.owner for row in rows])
    return Dataset(X, labels, domain, "minimal witness", units=owners, unit=unit)


def _array(values: list[Label | None]) -> AnyArray | None:
    return None if not values or values[0] is None else np.array(values)
