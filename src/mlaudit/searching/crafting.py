"""Datasets crafted in frames, the moves on them, and the same moves on datasets of another shape."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, islice, product, zip_longest

import numpy as np
from numpy.random import Generator

from mlaudit.plugins import load_shipped, names
from mlaudit.protocols import Mechanism
from mlaudit.searching.move import Move, Setting
from mlaudit.searching.pool import pool
from mlaudit.searching.worst import (
    DIMENSIONS,
    SIZES,
    Frame,
    Layout,
    Worst,
    dimensions,
    domain_words,
    domains,
    labels_taken,
)
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain

LAYOUTS = "searching.layouts"
_BEGUN, _TAKEN = 2, 1  # datasets begun, and moves taken of each, at a time
_FIRST_SHAPES = ((8, 1), (20, 5), (2, 2), (100, 1), (9, 3), (2, 1), (45, 2), (8, 30))


@dataclass(frozen=True, eq=False)
class CraftedMove(Move):
    """A move on a crafted dataset, which can be made on one of another shape."""

    craft: "Craft | None" = None


@dataclass(frozen=True, eq=False)
class Craft:
    """A layout's dataset in a frame, and the moves on it."""

    mechanism: Mechanism
    frame: Frame
    layout: str
    changes: tuple[str, ...]
    seed: int
    sizes: tuple[int, ...] = SIZES
    dimensions: tuple[int, ...] = DIMENSIONS

    def data(self) -> Dataset | None:
        """The crafted D."""
        layout: Layout = load_shipped(LAYOUTS, self.layout)
        filled = layout(self.frame)
        if filled is None:
            return None
        X, places = filled
        labels = None if self.frame.labels is None else np.array(self.frame.labels)[places % len(self.frame.labels)]
        shape = f"{self.frame.rows} rows × {self.frame.columns} column{'s' if self.frame.columns > 1 else ''}"
        said = f"worst ({self.layout.replace('_', ' ')}, {shape}, {domain_words(self.frame.domain)})"
        return Dataset(self.frame.domain.project(X), labels, self.frame.domain, said)

    def moves(self) -> Iterator[Move]:
        """Every move of the pool on this D."""
        data = self.data()
        if data is None:
            return
        setting = Setting(self.mechanism, data, self.changes, np.random.default_rng(self.seed))
        for move in pool(setting):
            yield CraftedMove(f"{move.name}; {data.name}", move.make, move.at, self._elsewhere(move, data), self)

    def _elsewhere(self, move: Move, data: Dataset) -> Callable[[FloatArray], Move] | None:
        if move.elsewhere is None:
            return None
        other = move.elsewhere

        def elsewhere(x: FloatArray) -> Move:
            moved = other(x)
            return CraftedMove(f"{moved.name}; {data.name}", moved.make, moved.at, self._elsewhere(moved, data), self)

        return elsewhere


def crafted(mechanism: Mechanism, worst: Worst, changes: tuple[str, ...], rng: Generator) -> Iterator[Move]:
    """Moves on crafted datasets, simple shapes first: the first moves of every dataset, then the next."""
    seed = int(rng.integers(2**32))
    labels = labels_taken(mechanism, worst)
    columns = dimensions(mechanism, worst, labels)
    sizes = tuple(n for n in SIZES if n <= worst.rows)
    first = dict.fromkeys((n, d if d in columns else columns[0]) for n, d in _FIRST_SHAPES if n in sizes)
    shapes = list(first | dict.fromkeys(product(sizes, columns)))
    # Simple shapes with every layout before odd ones with any.
    places = sorted(product(range(len(shapes)), enumerate(names(LAYOUTS))), key=lambda at: at[0] + at[1][0])
    crafts = (
        Craft(mechanism, Frame(*shapes[at], domain, labels), layout, changes, seed, sizes, columns)
        for at, (_, layout) in places
        for domain in domains(mechanism, worst, shapes[at][1], labels)
    )
    return _diagonal(craft.moves() for craft in crafts)


def reshaped(move: Move) -> Iterator[Move]:
    """The same move on the same layout, with other numbers of rows and columns."""
    craft = getattr(move, "craft", None)
    if not isinstance(craft, Craft):
        return
    wanted, frame = plain_name(move.name), craft.frame
    shapes = chain.from_iterable(
        zip_longest(((n, frame.columns) for n in craft.sizes), ((frame.rows, d) for d in craft.dimensions))
    )
    for shape in shapes:
        if shape is not None and shape != (frame.rows, frame.columns):
            domain = _resized(frame.domain, shape[1])
            other = replace(craft, frame=replace(frame, rows=shape[0], columns=shape[1], domain=domain))
            yield from islice((m for m in other.moves() if plain_name(m.name) == wanted), 1)


def plain_name(name: str) -> str:
    """A move's name without its dataset's."""
    return name.partition(";")[0]


def _resized(domain: Domain, columns: int) -> Domain:
    """The same bounds for another number of columns; a learner with bounds column by column has one number only."""
    if isinstance(domain, Box) and columns != len(domain.low):
        return Box(np.full(columns, domain.low[0]), np.full(columns, domain.high[0]), domain.labels)
    return domain


def _diagonal(parts: Iterable[Iterator[Move]]) -> Iterator[Move]:
    """A few more moves of each part begun so far, and the first of a few parts more; and so on."""
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
