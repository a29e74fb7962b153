"""Columns of categories and of text."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.card import list_some
from mlaudit.types.checks import quote, several, text
from mlaudit.types.column import Value, check_name, decode_objects, or_none

_UNSEEN = "unseen text"
_LISTED = 4


@dataclass(frozen=True)
class Category:
    """A column of a few values that are all known beforehand. No other value is legal.

    Args:
        name: The name of the column.
        values: The legal values, texts or numbers, all different.
        missing: Whether a row may have no value; the learner then sees None.

    Raises:
        InvalidInput: If there is no value, one comes twice, or one is neither text nor number.

    Example:
        >>> colour = Category("colour", ("red", "green"))
        >>> colour.code("green"), colour.code("blue"), colour.decode(np.array([0.0])).tolist()
        (1.0, None, ['red'])
    """

    name: str
    values: tuple[Value, ...]
    missing: bool = False
    whole = True

    def __post_init__(self) -> None:
        check_name(self)
        given = several(f"values of column {self.name!r}", self.values, "texts or numbers")
        plain = tuple(value.item() if isinstance(value, np.generic) else value for value in given)
        if not plain or not all(isinstance(value, str | int | float) and value == value for value in plain):  # noqa: PLR0124 - NaN
            raise InvalidInput(
                f"values of column {self.name!r} must be texts or numbers, at least one, got {quote(self.values)}"
            )
        if len(set(plain)) < len(plain):
            raise InvalidInput(f"values of column {self.name!r} must be all different, got {quote(self.values)}")
        object.__setattr__(self, "values", plain)

    @property
    def ends(self) -> tuple[float, float]:
        """The first and the last position."""
        return 0.0, float(len(self.values) - 1)

    def code(self, value: object) -> float | None:
        """The code of a `value`: its position among the legal ones; None if the value is not legal."""
        return _find(self._positions, value)

    def decode(self, codes: FloatArray) -> AnyArray:
        """The values behind `codes`, as objects; None for no value."""
        return decode_objects(codes, lambda code: self.values[int(code)])

    def describe(self) -> str:
        """The legal values in words."""
        return f"one of {list_some([repr(value) for value in self.values], _LISTED)}{or_none(self)}"

    @cached_property
    def _positions(self) -> dict[Value, int]:
        return {value: at for at, value in enumerate(self.values)}


@dataclass(frozen=True)
class Text:
    """A column of text. Any text is legal; an audit tries the listed ones, and one that is not among them.

    Args:
        name: The name of the column.
        values: The texts that an audit tries. A table adds those of its rows.
        missing: Whether a row may have no text; the learner then sees None.

    Raises:
        InvalidInput: If a value is no text, or comes twice.

    Example:
        >>> city = Text("city", ("Rome", "Oslo"))
        >>> city.decode(np.array([1.0, 2.0])).tolist()
        ['Oslo', 'unseen text']
    """

    name: str
    values: tuple[str, ...] = ()
    missing: bool = False
    whole = True

    def __post_init__(self) -> None:
        check_name(self)
        given = several(f"values of column {self.name!r}", self.values, "texts")
        plain = tuple(str(text(f"a value of column {self.name!r}", value)) for value in given)
        if len(set(plain)) < len(plain):
            raise InvalidInput(f"values of column {self.name!r} must be all different, got {quote(self.values)}")
        object.__setattr__(self, "values", plain)

    @property
    def unseen(self) -> str:
        """A text that is not listed."""
        taken, number = set(self.values), 2
        found = _UNSEEN
        while found in taken:
            found, number = f"{_UNSEEN} {number}", number + 1
        return found

    @property
    def ends(self) -> tuple[float, float]:
        """The first listed text, and the unseen one."""
        return 0.0, float(len(self.values))

    def code(self, value: object) -> float | None:
        """The code of a `value`: the position of a listed text, one more for `unseen`, None for anything else."""
        return _find(self._positions, value) if isinstance(value, str) else None

    def decode(self, codes: FloatArray) -> AnyArray:
        """The texts behind `codes`, as objects; None for no text."""
        texts = (*self.values, self.unseen)
        return decode_objects(codes, lambda code: texts[int(code)])

    def describe(self) -> str:
        """The legal values in words."""
        return f"any text{or_none(self)}"

    def including(self, more: Sequence[str]) -> "Text":
        """The same column, which lists `more` texts after its own.

        >>> Text("city", ("Rome",)).including(["Oslo", "Rome"]).values
        ('Rome', 'Oslo')
        """
        return Text(self.name, tuple(dict.fromkeys((*self.values, *more))), self.missing)

    @cached_property
    def _positions(self) -> dict[Value, int]:
        return {value: at for at, value in enumerate((*self.values, self.unseen))}


def _find(positions: dict[Value, int], value: object) -> float | None:
    plain: Any = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | int | float):
        return None
    at = positions.get(plain)
    return None if at is None else float(at)
