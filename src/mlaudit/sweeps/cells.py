"""The cells of a sweep: every combination of its grids, once, in the order of the file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import prod
from typing import Any

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.sweeps.config import Override, Sweep
from mlaudit.types.checks import shown

REPLICATE, SEED, LABEL = "replicate", "seed", "label"
_MOST = 100_000  # cells of a sweep: each takes a millisecond to make and to check


@dataclass(frozen=True)
class Cell:
    """What is to be measured: a kind, and settings that are plain data; `place` is where it stands in its study."""

    study: str
    kind: str
    place: int
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The settings in short."""
        return ", ".join(f"{key} {value}" for key, value in self.settings.items())

    def key(self, *also: str) -> str:
        """What it is: kind, settings but for its label, and whatever else the result depends on; whoever asks."""
        measured = {name: value for name, value in self.settings.items() if name != LABEL}
        text = json.dumps([self.kind, measured, *also], sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()


def cells_of(sweep: Sweep, known: Mapping[str, frozenset[str]]) -> list[Cell]:
    """The cells; `known` are the settings that each kind has.

    >>> from mlaudit.sweeps.config import Grid
    >>> from mlaudit.types.row import Study
    >>> eight = Override({"epsilon": (2,)}, {"rows": 8})
    >>> sweep = Sweep(Study("a", "A"), {}, (Grid("audit", {"epsilon": (1, 2)}),), (eight,))
    >>> [dict(cell.settings) for cell in cells_of(sweep, {"audit": frozenset({"epsilon", "rows"})})]
    [{'epsilon': 1, 'replicate': 0, 'seed': 0}, {'epsilon': 2, 'rows': 8, 'replicate': 0, 'seed': 0}]
    """
    _check_names(sweep, known)
    _refuse_too_many(sweep)
    seen: dict[tuple[str, str], Cell] = {}
    for kind, settings in _settings(sweep):
        cell = Cell(sweep.study.name, kind, len(seen), settings)
        seen.setdefault((cell.key(), str(settings.get(LABEL))), cell)
    if not seen:
        raise InvalidInput(f"{sweep.study.name} must have at least one cell, got none; give it a [grid]")
    return list(seen.values())


def _refuse_too_many(sweep: Sweep) -> None:
    """Count the cells before any is made: a file of one line can ask for more than any machine holds."""
    combinations = sum(prod(len(values) for values in grid.axes.values()) for grid in sweep.grids)
    if combinations * sweep.replicates > _MOST:
        raise InvalidInput(
            f"{sweep.study.name} must have at most {_MOST} cells, got {shown(combinations)} combinations × "
            f"{shown(sweep.replicates)} replicates; give fewer, or split the file"
        )


def _settings(sweep: Sweep) -> Iterator[tuple[str, dict[str, Any]]]:
    for grid in sweep.grids:
        for values in product(*grid.axes.values()):
            plain = {**sweep.common, **dict(zip(grid.axes, values, strict=True))}
            made = _overridden(plain, sweep.overrides)
            if made is not None and plain:
                for replicate in range(sweep.replicates):
                    yield grid.kind, {**made, REPLICATE: replicate, SEED: sweep.seed + replicate}


def _overridden(settings: dict[str, Any], overrides: tuple[Override, ...]) -> dict[str, Any] | None:
    """The settings with what the overrides set, which all look at the grid's own; None if one skips the cell."""
    made = dict(settings)
    for override in overrides:
        if all(settings.get(name) in allowed for name, allowed in override.where.items()):
            if override.skip:
                return None
            made.update(override.set)
    return made


def _check_names(sweep: Sweep, known: Mapping[str, frozenset[str]]) -> None:
    """Unknown settings by name, and conditions that no cell can meet: they would silently change nothing."""
    for grid in sweep.grids:
        if grid.kind not in known:
            raise UnknownName("kind of cell", grid.kind, known)
        for name in (*sweep.common, *grid.axes, *(name for o in sweep.overrides for name in o.set)):
            if name not in known[grid.kind]:
                raise UnknownName(f"setting of a cell of kind {grid.kind}", name, known[grid.kind])
    for override in sweep.overrides:
        for name, allowed in override.where.items():
            there = {str(v) for grid in sweep.grids for v in grid.axes.get(name, (sweep.common.get(name),))}
            missing = [value for value in allowed if str(value) not in there]
            if missing:
                raise InvalidInput(f"where must name values of the grid, got {name} = {missing[0]!r}")
