"""Simpler pairs, one step each: fewer changed rows, fewer rows, fewer columns, simpler numbers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import IntArray
from mlaudit.types.columns import Columns
from mlaudit.types.domain import Box, Domain, L2Ball, Label
from mlaudit.types.pair import Pair
from mlaudit.witness.slots import Row, Slot, pair_of, slots_of

_PARTS = (2, 4, 8)
_MOST_SINGLE = 12
_DIGITS = (0, 1, 2, 4)


@dataclass(frozen=True)
class _State:
    slots: tuple[Slot, ...]
    domain: Domain | None
    unit: str | None = None  # what owns rows


def simplify_pair(pair: Pair) -> Iterator[Pair]:
    """Yield legal pairs that are simpler than this one, the boldest first; each is one step away from it.

    >>> from mlaudit.types.dataset import Dataset
    >>> pair = Pair(Dataset([[0.0, 1.0], [0.5, 1.0], [0.25, 1.0]]), Dataset([[0.0, 1.0], [0.5, 1.0], [0.75, 1.0]]))
    >>> first = next(simplify_pair(pair))
    >>> len(first.base), first.rows
    (1, 1)
    """
    state = _State(tuple(slots_of(pair)), pair.base.domain, pair.base.unit)
    for step in (_fewer_changes, _fewer_rows, _fewer_columns, _simpler_numbers):
        for other in step(state):
            found = _make_pair(other, target=pair.target is not None)
            if found is not None and _differs(found, pair):
                yield found


def _make_pair(state: _State, *, target: bool) -> Pair | None:
    try:
        return pair_of(list(state.slots), state.domain, target=target, unit=state.unit)
    except (InvalidInput, StopIteration):
        return None


def _differs(one: Pair, other: Pair) -> bool:
    return (one.base.digest, one.neighbour.digest) != (other.base.digest, other.neighbour.digest)


def _fewer_changes(state: _State) -> Iterator[_State]:
    """Yield pairs with one changed unit, with half of them, then with one changed row, with half of them."""
    changed = [i for i, slot in enumerate(state.slots) if slot.changed]
    units: dict[Label | None, list[int]] = {}
    for i in changed if state.unit is not None else ():
        units.setdefault(state.slots[i].rows[0].owner, []).append(i)
    for groups in ([*units.values()], [[i] for i in changed]):
        for keep in (1, len(groups) // 2):
            if 0 < keep < len(groups):
                undone = {i for group in groups[keep:] for i in group}
                slots = (_undo_change(slot) if i in undone else slot for i, slot in enumerate(state.slots))
                yield replace(state, slots=tuple(slot for slot in slots if slot.rows))


def _undo_change(slot: Slot) -> Slot:
    return Slot(slot.base, slot.base)


def _fewer_rows(state: _State) -> Iterator[_State]:
    common = np.array([i for i, slot in enumerate(state.slots) if not slot.changed], dtype=np.int64)
    for gone in _chunks(common):
        out = set(gone.tolist())
        yield replace(state, slots=tuple(slot for i, slot in enumerate(state.slots) if i not in out))


def _fewer_columns(state: _State) -> Iterator[_State]:
    columns = np.arange(len(state.slots[0].rows[0].x))
    for gone in _chunks(columns):
        kept = np.setdiff1d(columns, gone)
        if kept.size:
            slots = _map_rows(state.slots, partial(_select_columns, kept))
            yield replace(state, slots=slots, domain=_narrow_domain(state.domain, kept))


def _chunks(positions: IntArray) -> Iterator[IntArray]:
    """Yield all positions, then halves, quarters and eighths of them, then single ones."""
    if positions.size:
        yield positions
    for parts in _PARTS:
        if positions.size >= parts:
            yield from np.array_split(positions, parts)
    yield from islice(
        (positions[i : i + 1] for i in range(len(positions))), _MOST_SINGLE if positions.size > 1 else 0
    )


def _narrow_domain(domain: Domain | None, kept: IntArray) -> Domain | None:
    if isinstance(domain, Columns):
        return domain.select(kept)
    if isinstance(domain, Box) and len(domain.low) > 1:
        return replace(domain, low=domain.low[kept], high=domain.high[kept])
    return domain


def _simpler_numbers(state: _State) -> Iterator[_State]:
    """Yield pairs with all rows rounded; with all unchanged rows equal; with one side of the changes rounded."""
    for digits in _DIGITS:
        yield replace(state, slots=_map_rows(state.slots, partial(_round_row, state.domain, digits)))
    common = [slot for slot in state.slots if not slot.changed]
    if len({slot.rows[0][:2] for slot in common}) > 1:
        first = common[0].rows[0]
        yield replace(state, slots=tuple(slot if slot.changed else _put(slot, first) for slot in state.slots))
    for side in ("base", "neighbour"):
        for digits in _DIGITS:
            yield replace(state, slots=tuple(_round_side(state, slot, side, digits) for slot in state.slots))


def _put(slot: Slot, row: Row) -> Slot:
    """A row in place of both of the slot's; its owner stays."""
    mine = row._replace(owner=slot.rows[0].owner)
    return Slot(mine, mine)


def _round_side(state: _State, slot: Slot, side: str, digits: int) -> Slot:
    """Round one side of a changed slot."""
    row = getattr(slot, side)
    if not slot.changed or row is None:
        return slot
    return replace(slot, **{side: _round_row(state.domain, digits, row)})


def _round_row(domain: Domain | None, digits: int, row: Row) -> Row:
    x = np.round(np.array([row.x]), digits) + 0.0
    inside = x if domain is None else domain.project(x)
    # A row that had to be scaled back into a ball is no simpler than before.
    odd = isinstance(domain, L2Ball) and (inside != x).any()
    return row if odd else row._replace(x=tuple(inside[0].tolist()))


def _select_columns(kept: IntArray, row: Row) -> Row:
    return row._replace(x=tuple(row.x[i] for i in kept))


def _map_rows(slots: tuple[Slot, ...], change: Callable[[Row], Row]) -> tuple[Slot, ...]:
    return tuple(
        Slot(*(None if row is None else change(row) for row in (slot.base, slot.neighbour))) for slot in slots
    )
