"""From sweep files to what is left to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import cast

from mlaudit.errors import AuditError, InvalidInput
from mlaudit.plugins import shipped
from mlaudit.sweeps.cells import Cell, cells_of
from mlaudit.sweeps.config import Sweep
from mlaudit.sweeps.context import code_version, user_version
from mlaudit.sweeps.kinds._kind import Job, Kind


@dataclass(frozen=True)
class Order:
    """A cell, the key that its row is found by, and the job that measures it."""

    cell: Cell
    key: str
    job: Job


def orders_of(sweeps: Sequence[Sweep]) -> list[Order]:
    """Every cell of the sweeps; all settings are checked before anything runs."""
    _check_studies(sweeps)
    code, kinds = code_version(), {name: _kind(name) for name in shipped("sweeps/kinds")}
    known = {name: kind.KEYS for name, kind in kinds.items()}
    orders = []
    for sweep in sweeps:
        cells = cells_of(sweep, known)
        makers = {name: iter(kind.jobs([c for c in cells if c.kind == name])) for name, kind in kinds.items()}
        for cell in cells:
            try:
                job = next(makers[cell.kind])
            except AuditError as error:
                raise InvalidInput(f"{sweep.study.name}, cell {cell.name}: {error}") from error
            orders.append(Order(cell, cell.key(code, user_version(cell.settings)), job))
    return orders


def _kind(name: str) -> Kind:
    return cast(Kind, import_module(f"mlaudit.sweeps.kinds.{name}"))


def _check_studies(sweeps: Sequence[Sweep]) -> None:
    names = [sweep.study.name for sweep in sweeps]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidInput(f"sweep files must have different names, got {twice[0]!r} twice; rename one")
