"""Typed tables of Python values: dicts, records, and tables of pandas, polars and pyarrow."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlaudit.datasets._typed import Values, build_typed
from mlaudit.datasets._units import read_owners
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.arrays import AnyArray
from mlaudit.types.checks import choice, kind_of, text
from mlaudit.types.column import TypedColumn, is_missing
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import TYPED, Preparation


def from_table(
    table: Any,
    columns: Sequence[TypedColumn] | None = None,
    *,
    target: str | None = None,
    texts: str = "any",
    name: str = "table",
    unit: str | None = None,
) -> Dataset:
    """A dataset whose learner sees texts, categories, whole numbers, truth values and missing values as they are.

    Declare the columns, if you can: bounds and categories that are read off private rows are no promise to anybody,
    and a neighbour D′ cannot lie outside them. The card of the dataset says which types were read off the rows.

    Args:
        table: A dict of columns, a list of records (dicts), or a table of pandas, polars or pyarrow.
        columns: A `Number`, `Integer`, `Boolean`, `Category` or `Text` for each column. Default: read off the rows.
            Numbers then lie between the least and the greatest, and values may be missing where one is.
        target: The label column. Default: no labels.
        texts: Which texts are legal in a column that is not declared: "any", or only those "seen" in the rows.
        name: The name in results.
        unit: The column that names the owner of each row, if one neighbour step is all rows of one owner. It is no
            feature, and has no declared type.

    Returns:
        The dataset. A learner reads it as `data.columns` or `data.frame()`.

    Raises:
        UnknownName: If the table has no column `target` or `unit`.
        InvalidInput: If the table cannot be read, or a value does not fit its column.

    Example:
        >>> from mlaudit.datasets import Category, Integer
        >>> rows = [{"age": 31, "plan": "pro"}, {"age": 47, "plan": None}]
        >>> people = from_table(rows, [Integer("age", 0, 120), Category("plan", ("basic", "pro"), missing=True)])
        >>> people.columns["plan"].tolist()
        ['pro', None]
        >>> from_table(rows, [Integer("age", 0, 40), Category("plan", ("basic", "pro"), missing=True)])
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: column 'age' must hold a whole number from 0 to 40 in every row, got 47 in row 1
    """
    values, name = _read_values(table), text("name", name)
    choice("kind of texts", texts, TYPED)
    if target is not None and text("target", target) not in values:
        raise UnknownName(f"column of {name}", target, values)
    lengths = {len(column) for column in values.values()}
    if len(lengths) != 1 or 0 in lengths or not set(values) - {target, unit}:
        raise InvalidInput(
            "a table must have columns of one length with a row at least, and a column besides the label, got "
            f"{', '.join(f'{column!r}: {len(given)}' for column, given in values.items()) or 'none'}"
        )
    whole = Preparation(rows=max(2, *lengths), typed=texts, unit=unit)  # every row is kept
    owners = None if unit is None else _take_owners(values, name, target, whole)
    return build_typed(name, values, target, columns, whole, owners=owners)


def _take_owners(values: dict[str, Values], name: str, target: str | None, how: Preparation) -> AnyArray | None:
    """The owners of the rows as text; their column is taken out of the table."""
    named = {column: np.array(["" if is_missing(one) else str(one) for one in values[column]]) for column in values}
    owners = read_owners(name, named, target, how)
    del values[str(how.unit)]
    return owners


def _read_values(table: Any) -> dict[str, Values]:
    """The Python values of every column, by name."""
    if isinstance(table, Mapping):
        return {str(name): _as_list(name, column) for name, column in table.items()}
    if hasattr(table, "to_pydict"):  # pyarrow
        return {str(name): column for name, column in table.to_pydict().items()}
    if hasattr(table, "get_columns"):  # polars
        return {column.name: column.to_list() for column in table.get_columns()}
    if hasattr(table, "iterrows"):  # pandas
        return {str(name): table[name].tolist() for name in table.columns}
    if isinstance(table, list | tuple) and table and all(isinstance(row, Mapping) for row in table):
        names = dict.fromkeys(str(name) for row in table for name in row)
        return {name: [row.get(name) for row in table] for name in names}
    raise InvalidInput(
        "a table must be a dict of columns, a list of dicts, or a table of pandas, polars or pyarrow, got "
        f"{kind_of(table)}"
    )


def _as_list(name: object, column: Any) -> Values:
    if isinstance(column, str) or not hasattr(column, "__len__") or not hasattr(column, "__iter__"):
        raise InvalidInput(f"column {name!r} must be a list of values, got {kind_of(column)}")
    return column.tolist() if hasattr(column, "tolist") else list(column)
