"""A column of text as numbers, and what its card says."""

import numpy as np

from mlaudit.datasets._recognise import are_dates, is_number, read_booleans, read_days
from mlaudit.datasets._table import MISSING, Table, Text
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray
from mlaudit.types.card import ColumnCard, Encoding
from mlaudit.types.preparation import Preparation

_MOST_CATEGORIES = 100
_MOSTLY = 0.9
_MISSING_LEVEL = "(missing)"


def encode_column(table: Table, name: str, kept: IntArray, how: Preparation) -> tuple[FloatArray | None, ColumnCard]:
    """The columns of numbers that a column becomes, None if it is dropped, and its card."""
    column = table.columns[name][kept]
    missing = np.zeros(len(column), dtype=bool) if how.constant is None else np.isin(column, MISSING)
    if missing.all():
        return None, ColumnCard(name, dropped="no value in the rows that are kept")
    encoding, numbers = _read_numbers(table, name, column[~missing], how)
    if numbers is not None:
        block = _fill(numbers, missing, how.constant)[:, None]
        card = ColumnCard(name, encoding, imputed=int(missing.sum()))
    elif _drops_categories(table, how):
        why = "--categorical drop" if how.categorical == "drop" else "dropped as in the ML-Audit paper"
        return None, ColumnCard(name, dropped=f"categories, {why}")
    else:
        levels = np.unique(np.where(missing, _MISSING_LEVEL, column))
        if len(levels) > _MOST_CATEGORIES:
            return None, _refuse_levels(table, name, len(levels), how)
        block = np.asarray(np.where(missing, _MISSING_LEVEL, column)[:, None] == levels[None, :], dtype=float)
        card = ColumnCard(name, "one-hot", tuple(levels.tolist()), imputed=int(missing.sum()))
    varying = block[:, np.ptp(block, axis=0) > 0]
    return (varying, card) if varying.size else (None, ColumnCard(name, dropped="constant"))


def _fill(numbers: FloatArray, missing: BoolArray, constant: float | None) -> FloatArray:
    """The numbers, with the constant where there are none.

    A constant, and not the mean: a mean is computed from all rows, so that a change of one row of the table would
    change other rows of D, too. With a constant each row of D depends on one row of the table.
    """
    if constant is None:
        return numbers
    whole = np.full(len(missing), constant)
    whole[~missing] = numbers
    return whole


def _drops_categories(table: Table, how: Preparation) -> bool:
    return how.categorical == "drop" or (how.categorical == "paper" and table.published)


def _refuse_levels(table: Table, name: str, levels: int, how: Preparation) -> ColumnCard:
    """The card of a column with too many categories; refused if the user named the column."""
    if how.columns is not None:
        raise InvalidInput(
            f"{table.name} must have at most {_MOST_CATEGORIES} categories in a column, got {levels} in {name!r}; "
            "leave it out of --columns"
        )
    return ColumnCard(name, dropped=f"{levels} categories, more than {_MOST_CATEGORIES}")


def _read_numbers(table: Table, name: str, column: Text, how: Preparation) -> tuple[Encoding, FloatArray | None]:
    """The column as numbers, and how it was read; None for categories."""
    if name in table.categorical:
        return "one-hot", None
    if not table.published:
        booleans = read_booleans(column)
        if booleans is not None:
            return "boolean", booleans
        if how.columns is not None and are_dates(column):
            return "date", _days(table, name, column)
    return "number", parse_numbers(table, name, column)


def _days(table: Table, name: str, column: Text) -> FloatArray:
    days = read_days(column)
    if days is None:
        raise InvalidInput(
            f"{table.name} must write dates as 2024-01-31 in column {name!r}, got {str(column[0])!r}; rewrite them, "
            "or leave the column out of --columns"
        )
    return days


def parse_numbers(table: Table, name: str, column: Text) -> FloatArray | None:
    """The column as numbers, or None for categories; a few words among numbers are a mistake."""
    try:
        numbers = column.astype(float)
    except ValueError:
        words = [value for value in column if not is_number(value)]
        if len(words) <= (1 - _MOSTLY) * len(column):
            raise InvalidInput(
                f"{table.name} must hold only numbers in column {name!r}, got {str(words[0])!r} among them; "
                f"correct it, mark it as missing, or leave the column out with --drop {name}"
            ) from None
        return None
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"{table.name} must hold finite numbers, got infinity in column {name!r}")
    return np.asarray(numbers)
