"""From a raw table to a dataset and its data card. `Preparation` states the rules; this file knows their order."""

from collections.abc import Iterable

import numpy as np

from mlaudit.datasets._encode import encode_column
from mlaudit.datasets._labels import choose_classes, encode_labels
from mlaudit.datasets._recognise import recognise
from mlaudit.datasets._table import MISSING, Table
from mlaudit.datasets._units import draw_rows, read_owners
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.arrays import AnyArray, BoolArray
from mlaudit.types.card import ColumnCard, DataCard, list_dropped
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import count, parameter, percent
from mlaudit.types.preparation import Preparation
from mlaudit.types.units import describe_units

_MISSING = frozenset(MISSING)


def prepare(table: Table, how: Preparation) -> Dataset:
    """The dataset to audit on.

    >>> table = Table("toy", {"x": np.array(["1", "3", "?"]), "y": np.array(["no", "yes", "no"])}, "y")
    >>> prepared = prepare(table, Preparation())
    >>> prepared.X.tolist(), prepared.y.tolist()
    ([[0.0], [1.0]], [0, 1])
    >>> prepared.card.rows_dropped
    (('with a missing value', 1),)
    """
    dropped = _drop_columns(table, how)
    owners = read_owners(table.name, table.columns, table.target, how)
    names = [name for name in table.columns if name != table.target and name not in dropped]
    lost: list[tuple[str, int]] = []
    needed = [table.target] if how.constant is not None else [*names, table.target]
    kept = np.flatnonzero(_find_complete_rows(table, needed))
    lost.append(("with a missing value" if how.constant is None else "without a label", len(table) - len(kept)))
    classes = choose_classes(table, kept, how)
    if classes is not None:
        of_classes = kept[np.isin(table.columns[table.target][kept], classes.kept)]
        lost.append(("of other classes", len(kept) - len(of_classes)))
        kept = of_classes
    if len(kept) > how.rows:
        drawn = draw_rows(kept, owners, how)
        lost.append((f"not among the {count(how.rows)} drawn (--max-rows)", len(kept) - len(drawn)))
        kept = drawn
    y, present = encode_labels(table, kept, classes, how)
    encoded = {name: encode_column(table, name, kept, how) for name in names}
    cards = {name: card for name, (_, card) in encoded.items()} | {
        name: ColumnCard(name, dropped=reason) for name, reason in dropped.items()
    }
    blocks = [block for block, _ in encoded.values() if block is not None]
    columns = tuple(cards[name] for name in table.columns if name != table.target)
    if not blocks:
        raise InvalidInput(
            f"{table.name} must have a column that varies beside its label, got none{_reasons(columns)}"
        )
    X = np.hstack(blocks)
    if how.scale == "unit":
        X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    gone = {} if classes is None else dict(classes.dropped)
    if classes is not None:  # and those that the draw of rows has left none of
        gone |= {name: 0 for name in classes.kept if name not in dict(present)}
    card = DataCard(
        source=table.name,
        rows_read=len(table),
        rows=len(kept),
        rows_dropped=tuple((reason, rows) for reason, rows in lost if rows),
        columns=columns,
        features=X.shape[1],
        label=table.target,
        classes=present,
        classes_dropped=tuple(gone.items()),
        label_range=None if classes is not None else _range(table.columns[table.target][kept].astype(float)),
        missing="drop" if how.constant is None else parameter(how.constant),
        scale=how.scale,
        seed=how.seed,
        unit=None if owners is None else describe_units(owners[kept], str(how.unit)),
    )
    units = None if owners is None else owners[kept]
    return Dataset(X, y, name=table.name.partition(".")[0], card=card, units=units, unit=how.unit)


def _range(values: AnyArray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _drop_columns(table: Table, how: Preparation) -> dict[str, str]:
    """The columns that are dropped before anything is counted, with the reason for each."""
    _check_names(table, how.columns or (), "--columns")
    _check_names(table, how.drop, "--drop")
    both = [name for name in how.drop if name in (how.columns or ())]
    if both:
        raise InvalidInput(f"a column must be kept or dropped, got {both[0]!r} in --columns and in --drop")
    found = {}
    for name, column in table.columns.items():
        if name == table.target:
            continue
        if name == how.unit:
            found[name] = "names the unit"
        elif name in how.drop:
            found[name] = "named by --drop"
        elif how.columns is not None:
            if name not in how.columns:
                found[name] = "not in --columns"
        elif not table.published and name not in table.categorical:
            reason = recognise(name, column)
            if reason:
                found[name] = reason
    return found


def _check_names(table: Table, names: Iterable[str], option: str) -> None:
    others = [name for name in table.columns if name != table.target]
    for name in names:
        if name == table.target:
            raise InvalidInput(
                f"{option} must name columns besides the label, got the label column {name!r}; leave it out, or name "
                "another label with --target"
            )
        if name not in table.columns:
            raise UnknownName(f"column of {table.name}", name, others)


def _find_complete_rows(table: Table, names: Iterable[str]) -> BoolArray:
    gaps = {}
    for name in names:
        column = table.columns[name]
        if not _MISSING.isdisjoint(column.tolist()):  # most columns are whole, and there may be many
            gaps[name] = np.isin(column, MISSING)
    missing = np.any([*gaps.values(), np.zeros(len(table), dtype=bool)], axis=0)
    if missing.all():
        worst = max(gaps, key=lambda name: int(gaps[name].sum()))
        share = percent(float(gaps[worst].mean()))
        raise InvalidInput(
            f"{table.name} must have rows without missing values, got none ({worst!r} lacks {share} of its values); "
            f"put a number in their place with --missing 0, or leave columns out with --drop {worst}"
        )
    return np.asarray(~missing)


def _reasons(columns: tuple[ColumnCard, ...]) -> str:
    """Why columns were dropped, for a table of which nothing is left."""
    return f": {list_dropped(columns)}; keep columns by name with --columns"
