"""Crafted datasets, the moves on them, and the same moves on crafted datasets of another shape."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice, product, zip_longest

import numpy as np
from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.naming.plugins import load_shipped, names
from mlaudit.protocols import Mechanism
from mlaudit.search.labels import find_labels
from mlaudit.search.layout import Layout, Shape
from mlaudit.search.move import Move, Setting
from mlaudit.search.pool import pool_moves
from mlaudit.search.worst import BOXES, DIMENSIONS, SIZES, Worst, declared_domain, dimensions, domain_words, domains
from mlaudit.types.arrays import FloatArray
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, Label
from mlaudit.types.numbers import plural
from mlaudit.types.zeroing import has_null

LAYOUTS = "search.layouts"
_BEGUN, _TAKEN = 1, 2  # datasets begun, and moves taken of each, at a time: the moves of one share its trainings on D
# Unlike each other, so that a small budget sees as much as it can; all others come after these.
_FIRST_LAYOUTS = (
    "all_at_one_corner",
    "mostly_missing",
    "lone_class",
    "spread_out",
    "one_class",
    "constant_column",
    "halves",
)
_FIRST_SHAPES = ((8, 1), (20, 5), (2, 2), (100, 1), (9, 3), (2, 1), (45, 2), (8, 30))


@dataclass(frozen=True, eq=False)
class CraftedMove(Move):
    """A move on a crafted dataset; it can be repeated on one of another shape."""

    crafted: "CraftedData" = field(kw_only=True)


@dataclass(frozen=True, eq=False)
class CraftedData:
    """The dataset that a layout makes of a shape, and the moves on it.

    If `worst` asks for units, each row of the layout is a unit of equal rows.
    """

    mechanism: Mechanism
    shape: Shape
    layout: str
    changes: tuple[str, ...]
    seed: int
    sizes: tuple[int, ...] = SIZES
    dimensions: tuple[int, ...] = DIMENSIONS
    worst: Worst = field(default_factory=Worst)

    def make_data(self) -> Dataset | None:
        """Make D; None if the layout cannot fill the shape."""
        layout: Layout = load_shipped(LAYOUTS, self.layout)
        shape, filled = self.shape, layout(self.shape)
        if filled is None:
            return None
        X, indices = filled
        labels = None if shape.labels is None else np.array(shape.labels)[indices % len(shape.labels)]
        each = self.worst.unit_rows
        rows = f"{shape.rows} rows" if each is None else f"{shape.rows} units of {plural(each, 'row')}"
        size = f"{rows} × {shape.columns} column{'s' if shape.columns > 1 else ''}"
        name = f"worst ({self.layout.replace('_', ' ')}, {size}, {domain_words(shape.domain)})"
        return self.worst.own(Dataset(shape.domain.project(X), labels, shape.domain, name))

    def make_moves(self) -> Iterator[Move]:
        """Yield every move of the pool on this D."""
        data = self.make_data()
        if data is None:
            return
        setting = Setting(self.mechanism, data, self.changes, np.random.default_rng(self.seed))
        for move in pool_moves(setting):
            yield self._attach(move, data)

    def _attach(self, move: Move, data: Dataset) -> CraftedMove:
        name = f"{move.name}; {data.name}"
        return CraftedMove(name, move.make, move.at, self._attach_elsewhere(move, data), crafted=self)

    def _attach_elsewhere(self, move: Move, data: Dataset) -> Callable[[FloatArray], Move] | None:
        if move.elsewhere is None:
            return None
        other = move.elsewhere
        return lambda x: self._attach(other(x), data)


def craft_moves(
    mechanism: Mechanism, worst: Worst, changes: tuple[str, ...], rng: Generator, outside: str = ""
) -> Iterator[Move]:
    """Yield moves on crafted datasets, simple shapes first: the first moves of every dataset, then the next."""
    seed = int(rng.integers(2**32))
    labels = find_labels(mechanism, worst, needed="relabel" in changes)
    columns = dimensions(mechanism, worst, labels)
    declared = declared_domain(mechanism, worst.bounds or BOXES[0], columns[0], labels)
    if changes == ("zero",):
        _check_zeros(mechanism, domains(mechanism, worst, columns[0], labels, outside), columns[0])
    sizes = tuple(n for n in SIZES if n <= worst.most_units)
    first = dict.fromkeys((n, d if d in columns else columns[0]) for n, d in _FIRST_SHAPES if n in sizes)
    shapes = list(first | dict.fromkeys(product(sizes, columns)))
    # Simple shapes with every layout before odd ones with any.
    order = sorted(
        product(range(len(shapes)), enumerate(_list_layouts(labels, declared))), key=lambda at: at[0] + 2 * at[1][0]
    )
    crafted = (
        CraftedData(mechanism, Shape(*shapes[at], domain, labels), layout, changes, seed, sizes, columns, worst)
        for at, (_, layout) in order
        for domain in domains(mechanism, worst, shapes[at][1], labels, outside)
    )
    return _take_diagonally(data.make_moves() for data in crafted)


def _check_zeros(mechanism: Mechanism, declared: Iterator[Domain], columns: int) -> None:
    """Refuse a learner whose every domain is without the row of zeros: no row could be zeroed."""
    if not any(has_null(columns, domain) for domain in declared):
        raise InvalidInput(
            f"zero-out needs a domain that contains the row of zeros, but that of {mechanism_name(mechanism)} does "
            "not; widen it, or claim replace-one"
        )


def _list_layouts(labels: tuple[Label, ...] | None, domain: Domain) -> list[str]:
    """The layouts that rows with such labels can have; some are for typed tables only.

    >>> _list_layouts(None, Box(0.0, 1.0))[:2], _list_layouts((0, 1), Box(0.0, 1.0))[:2]
    (['all_at_one_corner', 'spread_out'], ['all_at_one_corner', 'lone_class'])
    """
    shape = Shape(8, 2, Box(0.0, 1.0), labels)
    if isinstance(domain, Columns):
        shape = Shape(8, len(domain.low), domain, labels)
    listed = dict.fromkeys((*_FIRST_LAYOUTS, *names(LAYOUTS)))
    return [name for name in listed if load_shipped(LAYOUTS, name)(shape) is not None]


def reshape_move(move: Move | None) -> Iterator[Move]:
    """Yield the same move on the same layout with other numbers of rows and columns; none if D is not crafted."""
    if not isinstance(move, CraftedMove):
        return
    crafted = move.crafted
    wanted, shape = plain_name(move.name), crafted.shape
    sizes = chain.from_iterable(
        zip_longest(((n, shape.columns) for n in crafted.sizes), ((shape.rows, d) for d in crafted.dimensions))
    )
    for size in sizes:
        if size is not None and size != (shape.rows, shape.columns):
            domain = _resize_domain(shape.domain, size[1])
            other = replace(crafted, shape=replace(shape, rows=size[0], columns=size[1], domain=domain))
            yield from islice((m for m in other.make_moves() if plain_name(m.name) == wanted), 1)


def plain_name(name: str) -> str:
    """A move's name without the name of its dataset."""
    return name.partition(";")[0]


def _resize_domain(domain: Domain, columns: int) -> Domain:
    """The same bounds for another number of columns; a learner with bounds column by column has one number only."""
    if isinstance(domain, Box) and columns != len(domain.low):
        at = np.arange(columns) % len(domain.low)
        return replace(domain, low=domain.low[at], high=domain.high[at])
    return domain


def _take_diagonally(parts: Iterable[Iterator[Move]]) -> Iterator[Move]:
    """Yield two more moves of each part begun so far, begin one part more, and so on."""
    waiting = iter(parts)
    begun: list[Iterator[Move]] = []
    while True:
        begun += list(islice(waiting, _BEGUN))
        if not begun:
            return
        alive = []
        for part in begun:
            moves = list(islice(part, _TAKEN))
            yield from moves
            alive += [part] if moves else []
        begun = alive
