"""The domain of a typed table: numbers, whole numbers, truth values, categories, texts, and missing values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, BoolArray, FloatArray, IntArray, set_frozen_state
from mlaudit.types.card import list_some
from mlaudit.types.checks import quote, several
from mlaudit.types.column import TypedColumn, Value, encode
from mlaudit.types.domain import Box, Label
from mlaudit.types.text_columns import Text

_DERIVED = {"in_files": False, "described": False}  # the columns say it all


@dataclass(frozen=True, eq=False, init=False)
class Columns(Box):
    """The domain of a table with a type for each column.

    The rows of such a dataset are codes, so that everything that works on numbers works on them;
    `mlaudit.types.column` has the code of each value. The learner reads the values, as `data.columns` or
    `data.frame()`. As a box, the domain has the least and the greatest code of each column as its corners.

    Args:
        columns: A Number, Integer, Boolean, Category or Text for each column, in order.
        labels: The legal labels; None if any label is legal.
        label_range: The least and the greatest legal label, where labels are numbers to be predicted.

    Raises:
        InvalidInput: If there is no column, one is of another kind, or two have the same name.

    Example:
        >>> from mlaudit.types.text_columns import Category
        >>> from mlaudit.types.number_columns import Integer
        >>> people = Columns([Integer("age", 0, 120), Category("plan", ("basic", "pro"), missing=True)])
        >>> people.encode({"age": [31, 47], "plan": ["pro", None]}).tolist()
        [[31.0, 1.0], [47.0, nan]]
        >>> people.project(np.array([[31.4, 7.0]])).tolist(), people.contains(np.array([[31.4, 0.0]])).tolist()
        ([[31.0, 1.0]], [False])
    """

    low: FloatArray = field(init=False, metadata=_DERIVED)
    high: FloatArray = field(init=False, metadata=_DERIVED)
    labels: tuple[Label, ...] | None
    label_range: tuple[float, float] | None
    columns: tuple[TypedColumn, ...]

    def __init__(
        self,
        columns: Sequence[TypedColumn],
        labels: tuple[Label, ...] | None = None,
        label_range: tuple[float, float] | None = None,
    ) -> None:
        found = several("columns", columns, "columns, as in [Integer('age', 0, 120)]")
        for column in found:
            if not isinstance(column, TypedColumn) or isinstance(column, type):
                raise InvalidInput(
                    f"a column must be a Number, Integer, Boolean, Category or Text, got {quote(column)}"
                )
        names = [column.name for column in found]
        repeated = [name for name in names if names.count(name) > 1]
        if not found or repeated:
            raise InvalidInput(
                f"a typed table must have columns with different names, got "
                f"{f'{repeated[0]!r} twice' if repeated else 'none'}"
            )
        low, high = np.array([column.ends for column in found]).T
        super().__init__(low, high, labels, label_range)
        object.__setattr__(self, "columns", found)

    __setstate__ = set_frozen_state

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def may_miss(self) -> BoolArray:
        """Which columns may have no value."""
        return np.array([column.missing for column in self.columns])

    @cached_property
    def _whole(self) -> BoolArray:
        return np.array([column.whole for column in self.columns])

    def contains(self, X: FloatArray) -> BoolArray:
        """Which rows are codes of legal values.

        Args:
            X: A table of numbers, one row per record.

        Returns:
            True or False for each row.

        Raises:
            InvalidInput: If `X` is not a table, or has another number of columns.
        """
        gone = np.isnan(X)
        there = np.where(gone, self.low, X) if gone.shape[1:] == self.low.shape else X
        inside = super().contains(there)  # refuses rows of another number of columns
        exact = (np.rint(there) == there) & (self.low <= there) & (there <= self.high)
        legal = np.where(gone, self.may_miss, exact | ~self._whole)
        return np.asarray(inside & legal.all(axis=1))

    def project(self, X: FloatArray) -> FloatArray:
        """The nearest legal codes.

        Args:
            X: A table of numbers, one row per record.

        Returns:
            A table of codes. NaN stays where a value may be missing, and becomes the least code elsewhere.

        Raises:
            InvalidInput: If `X` is not a table.
        """
        gone = np.isnan(X)
        clipped = super().project(np.where(gone, self.low, X))
        nearest = np.where(self._whole, np.rint(clipped), clipped) + 0.0
        return np.where(gone & self.may_miss, np.nan, nearest)

    @classmethod
    def enclosing(
        cls,
        X: FloatArray,
        labels: tuple[Label, ...] | None = None,
        label_range: tuple[float, float] | None = None,
    ) -> Box:
        """The smallest plain box around codes: rows of numbers do not say which values they stand for.

        Args:
            X: A table of codes, none of them NaN.
            labels: The legal labels; None if any label is legal.
            label_range: The least and the greatest legal label, where labels are numbers to be predicted.

        Returns:
            A box, not a domain with types.

        Raises:
            InvalidInput: If `X` is not a table of finite numbers.
        """
        return Box.enclosing(X, labels, label_range)

    def encode(self, values: Mapping[str, Sequence[Any] | AnyArray]) -> FloatArray:
        """The codes of a table.

        Args:
            values: The values of each column, by the name of the column. Other columns are left out.

        Returns:
            A table of codes, one row per record. NaN stands for no value.

        Raises:
            InvalidInput: If a column is missing, or holds a value that is not legal.
        """
        absent = [name for name in self.names if name not in values]
        if absent:
            raise InvalidInput(f"the table must have the column {absent[0]!r}, got {quote(list(values))}")
        return np.column_stack([encode(column, values[column.name]) for column in self.columns])

    def decode(self, X: FloatArray) -> dict[str, AnyArray]:
        """The values behind codes.

        Args:
            X: A table of legal codes.

        Returns:
            An array of values for each column, by the name of the column.
        """
        return {column.name: column.decode(X[:, at]) for at, column in enumerate(self.columns)}

    def read_rows(self, X: FloatArray) -> list[tuple[Value, ...]]:
        """The values behind codes, row by row, as a person reads them.

        Args:
            X: A table of legal codes.

        Returns:
            A tuple of values for each row, with None for no value.
        """
        by_column = [_plain(values) for values in self.decode(X).values()]
        return list(zip(*by_column, strict=True))

    def fill(self, X: FloatArray) -> FloatArray:
        """Codes with a number in place of NaN, for sorting rows and for means.

        Args:
            X: A table of codes.

        Returns:
            The same codes. In place of NaN is the greatest code of the column plus the width of the column, or plus 1
            if the column has one code only.
        """
        width = np.where(self.high > self.low, self.high - self.low, 1.0)
        return np.where(np.isnan(X), self.high + width, X)

    def including(self, values: Mapping[str, AnyArray]) -> "Columns":
        """The same domain, whose columns of any text list those of a table as well.

        Args:
            values: The values of each column, by the name of the column.

        Returns:
            A wider domain, or this one if it lists all texts already.

        Raises:
            InvalidInput: If the table has other columns.
        """
        if set(values) != set(self.names):
            raise InvalidInput(
                f"the table must have the columns {list_some(self.names)}, got {list_some(list(values))}; choose "
                "columns with --columns, or declare others"
            )
        found = [
            column.including([v for v in values[column.name] if isinstance(v, str) and column.code(v) is None])
            if isinstance(column, Text)
            else column
            for column in self.columns
        ]
        same = all(one.ends == other.ends for one, other in zip(found, self.columns, strict=True))
        return self if same else Columns(found, self.labels, self.label_range)

    def select(self, kept: IntArray) -> "Columns":
        """The domain of some of the columns.

        Args:
            kept: The positions of these columns, in the new order.

        Returns:
            A domain of these columns, with the same labels.

        Raises:
            InvalidInput: If no position is given, or one comes twice.
        """
        return Columns([self.columns[at] for at in kept.tolist()], self.labels, self.label_range)

    def odd_codes(self, at: int) -> list[tuple[str, float]]:
        """The codes of a column that careless learners forget: no value, and a text that was not seen before.

        Args:
            at: The position of the column.

        Returns:
            A description and the code, for each such code that is legal.
        """
        column = self.columns[at]
        unseen = [(f"{column.name} unseen", column.ends[1])] if isinstance(column, Text) else []
        return [*unseen, *([(f"{column.name} missing", np.nan)] if column.missing else [])]

    @property
    def describes_numbers(self) -> bool:
        """Whether every column holds numbers, so that a row of zeros means zeros."""
        return all(hasattr(column, "low") for column in self.columns)


def _plain(values: AnyArray) -> list[Any]:
    return [None if value != value else value for value in values.tolist()]  # noqa: PLR0124 - NaN
