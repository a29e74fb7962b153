"""A layout: where the rows of a crafted dataset lie, and which labels they have."""

from dataclasses import dataclass
from typing import Protocol

from mlaudit.search.region import region_ends
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.domain import Domain, Label


@dataclass(frozen=True, eq=False)
class Shape:
    """The shape of a crafted dataset: its numbers of rows and columns, its domain, and the labels of its rows."""

    rows: int
    columns: int
    domain: Domain
    labels: tuple[Label, ...] | None

    @property
    def low(self) -> FloatArray:
        """An extreme row of the domain."""
        return region_ends(self.domain, self.columns)[0]

    @property
    def high(self) -> FloatArray:
        """The extreme row opposite to `low`."""
        return region_ends(self.domain, self.columns)[1]


class Layout(Protocol):
    """Fills a shape with rows; returns None for a shape that it cannot fill."""

    def __call__(self, shape: Shape) -> tuple[FloatArray, AnyArray] | None:
        """The rows, and the index of each row's label among the labels of the shape."""
