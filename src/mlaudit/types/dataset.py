"""The rows a learner is trained on."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers, plain_array
from mlaudit.types.arrays import AnyArray, FloatArray, freeze, set_frozen_state
from mlaudit.types.card import DataCard
from mlaudit.types.checks import instance, text, with_methods
from mlaudit.types.clipping import takes_any
from mlaudit.types.columns import Columns
from mlaudit.types.domain import Domain, label_range_of
from mlaudit.types.frame import make_frame
from mlaudit.types.units import describe_units, read_units

_MOST_CLASSES = 20


@dataclass(frozen=True, eq=False, init=False)
class Dataset:
    """The dataset D = (X, Y) that a learner is trained on. Its arrays are copies that cannot be written to.

    Args:
        X: A table of numbers, one row per record. A flat list is one column. The numbers are finite, unless the
            domain is of a learner that clips other numbers; see `mlaudit.types.clipping`. Of a typed table they are
            codes; see `mlaudit.datasets.from_table`.
        y: One label per row: numbers or text. None for data without labels.
        domain: The set in which all rows must lie, declared without looking at the rows. None if there is none.
        name: The name in results.
        card: How the table of the rows was prepared. None if the rows do not come from a table. Edited rows have no
            card, because the card describes D only.
        units: The owner of each row, a whole number or a text, if one neighbour step is all rows of one owner: the
            privacy unit. None if every row is a unit of its own.
        unit: What owns rows, in results; "unit" by default.

    Raises:
        InvalidInput: If the values are not finite numbers, lie outside the domain, or labels or units do not match
            rows.

    Example:
        >>> Dataset([[0.0, 1.0], [2.0, 3.0]], y=[0, 1])
        Dataset(2 rows × 2 columns, labelled, 'data')
        >>> Dataset([1.0, float("nan")])
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: X must be finite, got NaN or infinity in row 1; drop or impute such rows
        >>> Dataset([1.0, 2.0, 3.0], units=["ann", "ann", "bob"], unit="user")
        Dataset(3 rows × 1 columns, no labels, 'data', user: 2 units, 1 to 2 rows each)
    """

    X: FloatArray
    y: AnyArray | None
    domain: Domain | None
    name: str
    card: DataCard | None = field(metadata={"in_files": False})  # a result has it once, in its provenance
    units: AnyArray | None = field(metadata={"in_files": "if given"})
    unit: str | None = field(metadata={"in_files": "if given"})

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        domain: Domain | None = None,
        name: str = "data",
        card: DataCard | None = None,
        units: ArrayLike | None = None,
        unit: str | None = None,
    ) -> None:
        rows = _rows(X, any_value=takes_any(domain), missing=isinstance(domain, Columns))
        labels = None if y is None else _labels(y, len(rows))
        if domain is not None:
            with_methods("domain", domain, "a Box, an L2Ball, or an object", ("contains", "project"))
            _check_domain(rows, labels, domain)
        if card is not None:
            instance("card", card, DataCard)
        parts = {"X": rows, "y": labels, "domain": domain, "name": text("name", name), "card": card}
        parts["units"] = None if units is None else read_units(units, len(rows))
        parts["unit"] = None if units is None else text("unit", "unit" if unit is None else unit)
        for part, value in parts.items():
            object.__setattr__(self, part, value)

    __setstate__ = set_frozen_state

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        labelled = "labelled" if self.y is not None else "no labels"
        owned = "" if self.units is None else f", {describe_units(self.units, str(self.unit))}"
        return f"Dataset({len(self)} rows × {self.X.shape[1]} columns, {labelled}, {self.name!r}{owned})"

    @cached_property
    def digest(self) -> str:
        """A hash of rows, labels, units and their types. Equal digests mean equal data."""
        h = sha256(f"{self.X.shape}".encode())
        h.update(self.X.tobytes())
        if self.y is not None:
            h.update(self.y.dtype.str.encode() + self.y.tobytes())
        if self.units is not None:
            h.update(b"units" + self.units.dtype.str.encode() + self.units.tobytes())
        if isinstance(self.domain, Columns):  # the same codes may stand for other values
            h.update(repr(self.domain.columns).encode())
        return h.hexdigest()

    @property
    def columns(self) -> dict[str, AnyArray]:
        """The values of a typed table, a fresh array for each column by its name.

        Numbers are floats, with NaN for no value. Whole numbers and truth values are of their numpy types. Texts and
        categories, and every other column that may miss values, are objects, with None for no value.

        Raises:
            InvalidInput: If the rows are plain numbers.
        """
        return {name: values.copy() for name, values in self._decoded.items()}

    @cached_property
    def _decoded(self) -> dict[str, AnyArray]:
        if not isinstance(self.domain, Columns):
            raise InvalidInput(
                "columns belong to a typed table, got rows of plain numbers; read data.X, or make the data with "
                "from_table or --typed"
            )
        return self.domain.decode(self.X)

    def frame(self) -> Any:
        """The values of a typed table as a DataFrame of pandas.

        Raises:
            InvalidInput: If the rows are plain numbers, or pandas is not installed.
        """
        return make_frame(self.columns)

    @cached_property
    def finite(self) -> FloatArray:
        """X for sorting rows and for means: a missing value of a typed table has a number of its own."""
        return self.domain.fill(self.X) if isinstance(self.domain, Columns) else self.X

    def within(self, domain: Domain | None) -> "Dataset":
        """The same rows, declared to lie in another domain.

        Between two typed domains the values stay the same, not the codes. A column of any text then lists the texts
        of the rows as well.

        Args:
            domain: The set in which all rows must lie; None if there is none.

        Returns:
            A dataset with the same rows, labels and name.

        Raises:
            InvalidInput: If a row or label lies outside the domain, or a typed table is declared to be plain numbers.
        """
        if not isinstance(self.domain, Columns) or domain is self.domain:
            return replace(self, domain=domain)
        if not isinstance(domain, Columns):
            raise InvalidInput(
                "a typed table needs a learner that reads data.columns, got one with a domain of plain numbers; "
                "leave --typed out, or give a function f(data, rng)"
            )
        wider = domain.including(self.columns)
        return replace(self, X=wider.encode(self.columns), domain=wider)

    def with_rows(self, X: ArrayLike, y: ArrayLike | None = None, units: ArrayLike | None = None) -> "Dataset":
        """Other rows in the same domain, under the same name; `mlaudit.types.edits` edits single rows.

        Args:
            X: The new table, one row per record. It need not have as many rows as this one.
            y: The labels of the new rows; None for data without labels.
            units: The owners of the new rows. By default the rows keep their owners, position by position.

        Returns:
            A dataset of these rows, without a card.

        Raises:
            InvalidInput: If the values are not finite numbers or lie outside the domain, or labels or units do not
                match rows.
        """
        return Dataset(X, y, self.domain, self.name, None, self.units if units is None else units, self.unit)


def are_predicted(data: Dataset) -> bool:
    """Whether the labels are numbers to be predicted: fractions of more different values than classes have.

    >>> are_predicted(Dataset([0.0, 1.0], y=[0, 1])), are_predicted(Dataset(np.arange(99.0), y=np.arange(99.0)))
    (False, True)
    """
    y = data.y
    return y is not None and y.dtype.kind == "f" and len(np.unique(y)) > min(_MOST_CLASSES, len(data) // 2)


def _rows(X: ArrayLike, *, any_value: bool, missing: bool) -> FloatArray:
    rows = numbers("X", X, "give a table of numbers: encode text and dates as numbers first")
    if rows.size == 0:
        raise InvalidInput(f"a dataset needs at least one row and one column, got {len(rows)} rows")
    rows = rows.reshape(-1, 1) if rows.ndim < 2 else rows.reshape(len(rows), -1)
    if any_value:
        rows[np.isnan(rows)] = np.nan  # NaN has many forms: rows are compared by their bytes
        return freeze(rows)
    if missing:
        rows[np.isnan(rows)] = np.nan  # the domain says where they are legal
    bad = np.flatnonzero(~(np.isfinite(rows) | (missing & np.isnan(rows))).all(axis=1))
    if bad.size:
        raise InvalidInput(f"X must be finite, got NaN or infinity in row {bad[0]}; drop or impute such rows")
    rows += 0.0  # makes -0.0 to 0.0: rows are compared by their bytes
    return freeze(rows)


def _labels(y: ArrayLike, rows: int) -> AnyArray:
    labels = plain_array("y", y)
    if labels.ndim != 1 or len(labels) != rows:
        raise InvalidInput(f"y must hold one label per row, got {labels.shape} labels for {rows} rows")
    if labels.dtype.kind not in "biufU":
        raise InvalidInput(f"labels must be numbers or text, got {labels.dtype}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InvalidInput("labels must be finite, got NaN or infinity; drop such rows")
    return freeze(labels)


def _check_domain(X: FloatArray, y: AnyArray | None, domain: Domain) -> None:
    outside = np.flatnonzero(~domain.contains(X))
    if outside.size:
        raise InvalidInput(
            f"every row must lie in the declared domain, got row {outside[0]} outside "
            f"{type(domain).__name__}; clip the rows or declare a wider domain"
        )
    if domain.labels is not None and y is not None and not np.isin(y, list(domain.labels)).all():
        strange = next(label for label in y.tolist() if label not in domain.labels)
        raise InvalidInput(f"labels must be among {list(domain.labels)}, got {strange!r}")
    ends = label_range_of(domain)
    if ends is not None and y is not None:
        _check_label_range(y, ends)


def _check_label_range(y: AnyArray, ends: tuple[float, float]) -> None:
    if y.dtype.kind not in "biuf":
        raise InvalidInput(f"labels must be numbers in [{ends[0]}, {ends[1]}], got text")
    labels = y.astype(float)
    strange = labels[(labels < ends[0]) | (labels > ends[1])]
    if strange.size:
        raise InvalidInput(f"labels must lie in [{ends[0]}, {ends[1]}], got {strange[0]}; clip the labels")
