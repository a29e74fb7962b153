"""The cells of a sweep: every combination of its grids, once, in the order of the file."""

import json
from collections.abc import Iterator, Mapping
from itertools import product
from math import prod
from typing import Any

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.sweep.config import Override, Sweep
from mlaudit.types.checks import quote

REPLICATE, SEED, LABEL = "replicate", "seed", "label"
_MOST = 100_000  # cells of a sweep: each takes a millisecond to make and to check


def list_settings(sweep: Sweep, known: Mapping[str, frozenset[str]]) -> list[tuple[str, dict[str, Any]]]:
    """The kind and the settings of every cell.

    Args:
        sweep: A sweep file, read.
        known: The settings that each kind has.

    Returns:
        Each combination once, in the order of the file.

    Raises:
        InvalidInput: If the sweep names a kind or a setting that there is not, or has no cells, or too many.

    Example:
        >>> from mlaudit.sweep.config import Grid
        >>> from mlaudit.types.row import Study
        >>> eight = Override({"epsilon": (2,)}, {"rows": 8})
        >>> sweep = Sweep(Study("a", "A"), {}, (Grid("audit", {"epsilon": (1, 2)}),), (eight,))
        >>> for kind, settings in list_settings(sweep, {"audit": frozenset({"epsilon", "rows"})}):
        ...     print(kind, settings)
        audit {'epsilon': 1, 'replicate': 0, 'seed': 0}
        audit {'epsilon': 2, 'rows': 8, 'replicate': 0, 'seed': 0}
    """
    _check_names(sweep, known)
    _refuse_too_many(sweep)
    found = {
        json.dumps([kind, settings], sort_keys=True, default=str): (kind, settings)
        for kind, settings in _combine(sweep)
    }
    if not found:
        raise InvalidInput(f"{sweep.study.name} must have at least one cell, got none; give it a [grid]")
    return list(found.values())


def _refuse_too_many(sweep: Sweep) -> None:
    """Count the cells before any is made: a file of one line can ask for more than any machine holds."""
    combinations = sum(prod(len(values) for values in grid.axes.values()) for grid in sweep.grids)
    if combinations * sweep.replicates > _MOST:
        raise InvalidInput(
            f"{sweep.study.name} must have at most {_MOST} cells, got {quote(combinations)} combinations × "
            f"{quote(sweep.replicates)} replicates; give fewer, or split the file"
        )


def _combine(sweep: Sweep) -> Iterator[tuple[str, dict[str, Any]]]:
    for grid in sweep.grids:
        for values in product(*grid.axes.values()):
            plain = {**sweep.common, **dict(zip(grid.axes, values, strict=True))}
            made = _override(plain, sweep.overrides)
            if made is not None and plain:
                for replicate in range(sweep.replicates):
                    yield grid.kind, {**made, REPLICATE: replicate, SEED: sweep.seed + replicate}


def _override(settings: dict[str, Any], overrides: tuple[Override, ...]) -> dict[str, Any] | None:
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
