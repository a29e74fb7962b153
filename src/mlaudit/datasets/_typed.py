"""Typed tables: values as they are, with a type for each column instead of an encoding as numbers."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlaudit.datasets._recognise import is_number
from mlaudit.datasets._table import MISSING, Text
from mlaudit.datasets._units import draw_rows, read_owners
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.arrays import AnyArray, IntArray
from mlaudit.types.card import AS_IT_IS, ColumnCard, DataCard
from mlaudit.types.checks import quote
from mlaudit.types.column import TypedColumn, is_missing
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.number_columns import Boolean, Integer, Number
from mlaudit.types.numbers import count
from mlaudit.types.preparation import SEEN, Preparation
from mlaudit.types.text_columns import Category
from mlaudit.types.text_columns import Text as TextColumn
from mlaudit.types.units import describe_units

Values = Sequence[Any]
_WHOLE = re.compile(r"[+-]?(0|[1-9]\d*)")  # not 007, which is no number but a name
_LARGEST = 2**53
_TRUE_OR_FALSE = {"true": True, "false": False}


def prepare_typed(name: str, columns: Mapping[str, Text], target: str | None, how: Preparation) -> Dataset:
    """The dataset of a file whose columns stay as they are.

    >>> table = {"age": np.array(["31", "47", "?"]), "city": np.array(["Rome", "Oslo", "Rome"])}
    >>> prepared = prepare_typed("people.csv", table, None, Preparation(typed="any"))
    >>> prepared.columns["age"].tolist(), prepared.columns["city"].tolist()
    ([31, 47, None], ['Rome', 'Oslo', 'Rome'])
    """
    for given, option in ((how.columns or (), "--columns"), (how.drop, "--drop"), ((target,), "--target")):
        _check_names(name, columns, given, option)
    owners = read_owners(name, columns, target, how)
    read = {column: read_texts(texts) for column, texts in columns.items() if _is_wanted(column, target, how)}
    if not [column for column in read if column != target]:
        raise InvalidInput(f"{name} must have a column besides the label, got none; name others with --columns")
    dropped = {column: _why_dropped(column, how) for column in columns if column not in read}
    cards = tuple(ColumnCard(column, dropped=why) for column, why in dropped.items())
    return build_typed(name, read, target, None, how, cards, owners)


def _check_names(name: str, columns: Mapping[str, Text], given: Sequence[str | None], option: str) -> None:
    for one in given:
        if one is not None and one not in columns:
            raise UnknownName(f"column of {name}, for {option},", one, columns)


def _is_wanted(column: str, target: str | None, how: Preparation) -> bool:
    return column == target or not _why_dropped(column, how)


def _why_dropped(column: str, how: Preparation) -> str:
    """Why a column is no feature; "" if it is one."""
    if column == how.unit:
        return "names the unit"
    if column in how.drop:
        return "named by --drop"
    return "" if how.columns is None or column in how.columns else "not in --columns"


def build_typed(
    name: str,
    values: Mapping[str, Values],
    target: str | None,
    declared: Sequence[TypedColumn] | None,
    how: Preparation,
    dropped: tuple[ColumnCard, ...] = (),
    owners: AnyArray | None = None,
) -> Dataset:
    """The dataset of columns of Python values; types that are not declared are read off the rows that are kept.

    With owners, whole units are kept, and `how.unit` says what owners are.
    """
    rows = len(next(iter(values.values())))
    labels = None if target is None else values[target]
    kept, lost = _choose_rows(rows, labels, how, owners)
    table = {column: [given[at] for at in kept] for column, given in values.items() if column != target}
    columns = _settle_columns(table, declared, how)
    y = None if labels is None else _read_labels(str(target), [labels[at] for at in kept])
    domain = Columns(columns)
    cards = tuple(ColumnCard(one.name, AS_IT_IS, (_describe(one, inferred=declared is None),)) for one in columns)
    numbers = y is not None and y.dtype.kind == "f"
    classes = [] if y is None or numbers else list(zip(*np.unique(y, return_counts=True), strict=True))
    card = DataCard(
        source=name,
        rows_read=rows,
        rows=len(kept),
        rows_dropped=lost,
        columns=(*cards, *dropped),
        features=len(columns),
        label=target or "",
        classes=tuple((str(label), int(number)) for label, number in classes),
        label_range=(float(y.min()), float(y.max())) if y is not None and numbers else None,
        missing="keep",
        scale="none",
        seed=how.seed,
        unit=None if owners is None else describe_units(owners[kept], str(how.unit)),
    )
    units = None if owners is None else owners[kept]
    return Dataset(domain.encode(table), y, domain, name.partition(".")[0], card, units, how.unit)


def _describe(column: TypedColumn, *, inferred: bool) -> str:
    """The legal values, and whether the rows told them: what is read off private rows is no declaration."""
    told = inferred and not isinstance(column, TextColumn | Boolean)
    return f"{column.describe()} (read off the rows)" if told else column.describe()


def _choose_rows(
    rows: int, labels: Values | None, how: Preparation, owners: AnyArray | None
) -> tuple[IntArray, tuple[tuple[str, int], ...]]:
    """The rows that are kept, and how many were dropped for which reason."""
    kept = np.arange(rows)
    lost = []
    if labels is not None:
        kept = np.array([at for at in range(rows) if not is_missing(labels[at])], dtype=np.int64)
        lost.append(("without a label", rows - len(kept)))
    if len(kept) > how.rows:
        drawn = draw_rows(kept, owners, how)
        lost.append((f"not among the {count(how.rows)} drawn (--max-rows)", len(kept) - len(drawn)))
        kept = drawn
    if not kept.size:
        raise InvalidInput("a typed table must have a row, and a label in it if it has labels, got none")
    return kept, tuple((reason, number) for reason, number in lost if number)


def _settle_columns(
    table: Mapping[str, Values], declared: Sequence[TypedColumn] | None, how: Preparation
) -> list[TypedColumn]:
    if declared is None:
        return [infer_column(name, values, seen=how.typed == SEEN) for name, values in table.items()]
    known = {column.name: column for column in Columns(declared).columns}
    strange = [name for name in table if name not in known]
    if strange:
        raise InvalidInput(
            f"every column must have a type, got none for {strange[0]!r}; declare it, or leave it out of the table"
        )
    absent = [name for name in known if name not in table]
    if absent:
        raise InvalidInput(f"the table must have the column {absent[0]!r}, got {quote(list(table))}")
    return [_with_texts(column, table[name]) for name, column in known.items()]


def _with_texts(column: TypedColumn, values: Values) -> TypedColumn:
    """A column of any text lists those of the rows."""
    if not isinstance(column, TextColumn):
        return column
    return column.including([value for value in values if isinstance(value, str)])


def infer_column(name: str, values: Values, *, seen: bool) -> TypedColumn:
    """The type of a column by its values; with `seen`, only the texts that occur are legal.

    >>> infer_column("age", [31, None, 47], seen=False)
    Integer(name='age', low=31, high=47, missing=True)
    >>> infer_column("city", ["Rome", "Oslo"], seen=True)
    Category(name='city', values=('Oslo', 'Rome'), missing=False)
    """
    there = [value for value in values if not is_missing(value)]
    missing = len(there) < len(values)
    kinds = {_kind_of(value) for value in there}
    if kinds <= {"text"}:
        texts = tuple(sorted({str(value) for value in there}))
        return Category(name, texts, missing) if seen and texts else TextColumn(name, texts, missing)
    if kinds == {"boolean"}:
        return Boolean(name, missing)
    if kinds == {"whole"}:
        return Integer(name, int(min(there)), int(max(there)), missing)
    if kinds <= {"whole", "number"}:
        return Number(name, float(min(there)), float(max(there)), missing)
    odd = next((value for value in there if not _kind_of(value)), there[0])
    raise InvalidInput(
        f"column {name!r} must hold texts, finite numbers, or True and False, one kind throughout, got {quote(odd)}"
        f"{'' if not _kind_of(odd) else ' among others'}; convert it, or leave it out"
    )


def _kind_of(value: Any) -> str:
    """The kind of a value that is there; "" for one that no column holds."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool | np.bool_):
        return "boolean"
    if isinstance(value, int | np.integer):
        return "whole" if abs(int(value)) <= _LARGEST else ""
    return "number" if isinstance(value, float | np.floating) and np.isfinite(value) else ""


def read_texts(texts: Text) -> list[Any]:
    """The values of a column of a file: True and False, whole numbers, numbers, or texts; None for a missing one.

    Yes and no stay texts, and so does 007: a column is read as numbers only if it can be written back.

    >>> read_texts(np.array(["1", "2", "NA"])), read_texts(np.array(["1", "2.5"])), read_texts(np.array(["01", "2"]))
    ([1, 2, None], [1.0, 2.5], ['01', '2'])
    """
    plain: list[str] = texts.tolist()
    there = {value for value in plain if value not in MISSING}
    for fits, read in _READERS:
        if there and all(fits(value) for value in there):
            known = {value: read(value) for value in there}
            return [known.get(value) for value in plain]
    return [None if value in MISSING else value for value in plain]


def _is_whole(value: str) -> bool:
    return bool(_WHOLE.fullmatch(value)) and abs(int(value)) <= _LARGEST


def _is_plain_number(value: str) -> bool:
    """Whether a text is a finite number; one that begins with 0 and goes on is not, as 007."""
    return is_number(value) and not re.match(r"[+-]?0\d", value) and bool(np.isfinite(float(value)))


_READERS: tuple[tuple[Any, Any], ...] = (
    (lambda value: value.lower() in _TRUE_OR_FALSE, lambda value: _TRUE_OR_FALSE[value.lower()]),
    (_is_whole, int),
    (_is_plain_number, float),
)


def _read_labels(name: str, values: Values) -> AnyArray:
    """Labels as they are, in one array of a plain type."""
    kinds = {_kind_of(value) for value in values}
    if kinds in ({"text"}, {"boolean"}) or (kinds and kinds <= {"whole", "number"}):
        return np.array(list(values))
    raise InvalidInput(
        f"labels in {name!r} must be texts, finite numbers, or True and False, one kind throughout, got "
        f"{quote(list(values)[:3])}"
    )
