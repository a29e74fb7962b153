"""The domain of rows, the paper's constraint set C. It is fixed once, on D, and D′ must lie in it."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.errors import InvalidInput
from mlaudit.types.array_checks import numbers
from mlaudit.types.arrays import BoolArray, FloatArray, freeze, set_frozen_state
from mlaudit.types.checks import positive, quote, several

Label = int | float | str

# Rounding in a projection must not push a legal row out.
_SLACK = 1e-9


class Domain(Protocol):
    """A set of legal rows and labels."""

    @property
    def labels(self) -> tuple[Label, ...] | None:
        """The legal labels; None if any label is legal."""

    def contains(self, X: FloatArray) -> BoolArray:
        """Which rows of the table `X` lie inside."""

    def project(self, X: FloatArray) -> FloatArray:
        """The nearest legal rows to the rows of the table `X`."""


@dataclass(frozen=True, eq=False, init=False)
class Box:
    """A hyper-rectangle: rows between two corners.

    Args:
        low: The least value of each column, or one value for all columns.
        high: The greatest value of each column, or one value for all columns.
        labels: The legal labels; None if any label is legal.
        label_range: The least and the greatest legal label, where labels are numbers to be predicted.

    Raises:
        InvalidInput: If the corners are not finite, differ in length, or low exceeds high.

    Example:
        >>> box = Box([0, 0], [1, 2])
        >>> box.contains(np.array([[0.5, 2.0], [0.5, 3.0]]))
        array([ True, False])
        >>> box.project(np.array([[-1.0, 3.0]]))
        array([[0., 2.]])
    """

    low: FloatArray
    high: FloatArray
    labels: tuple[Label, ...] | None
    label_range: tuple[float, float] | None = field(metadata={"later": True})

    def __init__(
        self,
        low: ArrayLike,
        high: ArrayLike,
        labels: tuple[Label, ...] | None = None,
        label_range: tuple[float, float] | None = None,
    ) -> None:
        lower, upper = np.atleast_1d(numbers("low", low)), np.atleast_1d(numbers("high", high))
        if lower.shape != upper.shape or lower.ndim != 1:
            raise InvalidInput(f"a box needs corners of equal length, got {lower.shape} and {upper.shape}")
        if not (np.isfinite(lower).all() and np.isfinite(upper).all() and (lower <= upper).all()):
            raise InvalidInput(
                f"a box needs finite corners with low ≤ high in every column, got {quote(low)} and {quote(high)}"
            )
        object.__setattr__(self, "low", freeze(lower))
        object.__setattr__(self, "high", freeze(upper))
        object.__setattr__(self, "labels", legal_labels(labels))
        object.__setattr__(self, "label_range", _label_range(label_range))

    __setstate__ = set_frozen_state

    def contains(self, X: FloatArray) -> BoolArray:
        """Which rows lie inside.

        Args:
            X: A table of numbers, one row per record.

        Returns:
            True or False for each row.

        Raises:
            InvalidInput: If `X` is not a table, or has another number of columns.
        """
        X = _table(X)
        if len(self.low) not in (1, X.shape[1]):
            raise InvalidInput(f"a box of {len(self.low)} columns cannot hold rows of {X.shape[1]}")
        slack = _SLACK * np.maximum(np.abs(self.low), np.abs(self.high))
        return np.asarray(((self.low - slack <= X) & (self.high + slack >= X)).all(axis=1))

    def project(self, X: FloatArray) -> FloatArray:
        """The nearest rows of the box.

        Args:
            X: A table of numbers, one row per record.

        Returns:
            A new table of the same shape.

        Raises:
            InvalidInput: If `X` is not a table.
        """
        return np.clip(_table(X), self.low, self.high)

    @classmethod
    def enclosing(
        cls,
        X: FloatArray,
        labels: tuple[Label, ...] | None = None,
        label_range: tuple[float, float] | None = None,
    ) -> "Box":
        """The smallest box around the rows.

        Args:
            X: A table of finite numbers, one row per record.
            labels: The legal labels; None if any label is legal.
            label_range: The least and the greatest legal label, where labels are numbers to be predicted.

        Returns:
            A box whose corners are the least and the greatest value of each column.

        Raises:
            InvalidInput: If `X` is not a table of finite numbers.
        """
        X = _table(X)
        return cls(X.min(axis=0), X.max(axis=0), labels, label_range)


@dataclass(frozen=True)
class L2Ball:
    """A ball: rows whose L2 norm is at most the radius.

    Args:
        radius: The largest norm of a row.
        labels: The legal labels; None if any label is legal.

    Raises:
        InvalidInput: If the radius is not a positive number.

    Example:
        >>> L2Ball(5.0).project(np.array([[6.0, 8.0]]))
        array([[3., 4.]])
    """

    radius: float
    labels: tuple[Label, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("radius", self.radius))
        object.__setattr__(self, "labels", legal_labels(self.labels))

    def contains(self, X: FloatArray) -> BoolArray:
        """Which rows lie inside.

        Args:
            X: A table of numbers, one row per record.

        Returns:
            True or False for each row.

        Raises:
            InvalidInput: If `X` is not a table.
        """
        return np.asarray(np.linalg.norm(_table(X), axis=1) <= self.radius * (1 + _SLACK))

    def project(self, X: FloatArray) -> FloatArray:
        """The nearest rows of the ball.

        Args:
            X: A table of numbers, one row per record.

        Returns:
            A new table of the same shape.

        Raises:
            InvalidInput: If `X` is not a table.
        """
        X = _table(X)
        norms = np.linalg.norm(X, axis=1, keepdims=True)
        return np.asarray(X * (self.radius / np.maximum(norms, self.radius)))

    @classmethod
    def enclosing(cls, X: FloatArray, labels: tuple[Label, ...] | None = None) -> "L2Ball":
        """The smallest ball around the origin that holds the rows.

        Args:
            X: A table of finite numbers, one row per record.
            labels: The legal labels; None if any label is legal.

        Returns:
            A ball whose radius is the largest norm of a row.

        Raises:
            InvalidInput: If `X` is not a table, or all rows are zeros.
        """
        return cls(float(np.linalg.norm(_table(X), axis=1).max()), labels)


def _table(X: object) -> FloatArray:
    """Rows and columns; almost always they are that already."""
    rows = X if isinstance(X, np.ndarray) and X.dtype.kind == "f" else numbers("X", X)
    if rows.ndim != 2 or not rows.size:
        raise InvalidInput(f"X must be a table of rows and columns, got an array of shape {rows.shape}")
    return rows


def _label_range(given: object) -> tuple[float, float] | None:
    """The two ends between which labels lie, as plain numbers."""
    if given is None:
        return None
    ends = np.ravel(numbers("label_range", given))
    if len(ends) != 2 or not np.isfinite(ends).all() or ends[0] > ends[1]:
        raise InvalidInput(f"label_range must be a least and a greatest label, got {quote(given)}")
    return float(ends[0]), float(ends[1])


def label_range_of(domain: Domain | None) -> tuple[float, float] | None:
    """The range of a domain's labels; None if it states none.

    >>> label_range_of(Box(0.0, 1.0, label_range=(-1, 2))), label_range_of(L2Ball(1.0))
    ((-1.0, 2.0), None)
    """
    found: tuple[float, float] | None = getattr(domain, "label_range", None)
    return found


def legal_labels(labels: object) -> tuple[Label, ...] | None:
    """Labels that rows may carry, as a tuple of plain values; None stands for any."""
    if labels is None:
        return None
    found = several("labels", labels, "labels")
    plain = tuple(label.item() if isinstance(label, np.generic) else label for label in found)
    strange = [label for label in plain if not isinstance(label, int | float | str) or label != label]  # noqa: PLR0124
    if strange or not plain:
        raise InvalidInput(f"labels must be numbers or text, at least one, got {quote(labels)}")
    return plain
