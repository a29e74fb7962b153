"""The label column: classes, or numbers to be predicted."""

from dataclasses import dataclass

import numpy as np

from mlaudit.datasets._encode import parse_numbers
from mlaudit.datasets._recognise import are_numbers
from mlaudit.datasets._table import Table, Text
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, IntArray
from mlaudit.types.preparation import Preparation

_MOST_CLASSES = 20
_LISTED = 8


@dataclass(frozen=True)
class Classes:
    """The classes to keep, sorted, and the rows of each class that is not kept."""

    kept: tuple[str, ...]
    dropped: tuple[tuple[str, int], ...]


def choose_classes(table: Table, kept: IntArray, how: Preparation) -> Classes | None:
    """The classes of the rows so far; None if their labels are numbers to be predicted."""
    values, counts = np.unique(table.columns[table.target][kept], return_counts=True)
    named = how.classes or table.classes
    if named is not None:
        return _split(values, counts, _check_named(table, values, named))
    if len(values) < 2:
        raise InvalidInput(
            f"{table.name} must have labels of two classes in {table.target!r}, got {len(values)}; "
            "name the label column with --target"
        )
    if how.targets == "numbers" and len(values) > 2:
        _check_numbers(table, values)
        return None
    if _are_classes(len(values), len(kept)):
        most = np.argsort(-counts, kind="stable")[:2] if how.targets == "two classes" else slice(None)
        return _split(values, counts, values[most].tolist())
    if how.targets == "any" and are_numbers(values):
        return None
    raise InvalidInput(_refusal(table, len(values), len(kept), how))


def _check_named(table: Table, values: Text, named: tuple[str, ...]) -> list[str]:
    strange = [name for name in named if name not in values]
    if strange:
        listed = ", ".join(values[:_LISTED]) + (", …" if len(values) > _LISTED else "")
        raise InvalidInput(f"classes must be labels of {table.name} ({listed}), got {strange[0]!r}")
    return list(named)


def _split(values: Text, counts: IntArray, kept: list[str]) -> Classes:
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    return Classes(tuple(sorted(kept)), tuple((name, rows) for name, rows in pairs if name not in kept))


def _check_numbers(table: Table, values: Text) -> None:
    if not are_numbers(values):
        raise InvalidInput(
            f"{table.name} must hold numbers in the label column {table.target!r}, got {len(values)} different "
            f"labels such as {str(values[0])!r}; name another column with --target, or two classes with --classes"
        )


def _refusal(table: Table, values: int, rows: int, how: Preparation) -> str:
    learner = "" if how.targets == "any" else "; for a number to be predicted audit a regression"
    return (
        f"{table.name} must have classes in {table.target!r}, got {values} different values in {rows} rows; name the "
        f"label column with --target, or the classes to keep with --classes{learner}"
    )


def _are_classes(values: int, rows: int) -> bool:
    """Whether a column of so many different values can be classes: a number to be predicted, or an id, is none.

    >>> _are_classes(3, 150), _are_classes(60, 60), _are_classes(73, 10_000), _are_classes(2, 2)
    (True, False, False, True)
    """
    return values == 2 or (values <= _MOST_CLASSES and 2 * values <= rows)


def encode_labels(
    table: Table, kept: IntArray, classes: Classes | None, how: Preparation
) -> tuple[AnyArray, tuple[tuple[str, int], ...]]:
    """A label for each row, and the rows of each class that is left; none where labels are numbers."""
    labels = table.columns[table.target][kept]
    if classes is None:
        return _scale_numbers(table, labels, how), ()
    # A class may have lost its rows to the draw. Labels are numbered without gaps: some learners count on that.
    present, y, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(present) < 2:
        wanted = "both" if len(classes.kept) == 2 else "two"
        raise InvalidInput(f"{table.name} must have rows of {wanted} classes, got one class; keep more rows")
    return y.astype(np.int64), tuple(zip(present.tolist(), counts.tolist(), strict=True))


def _scale_numbers(table: Table, labels: Text, how: Preparation) -> AnyArray:
    y = parse_numbers(table, table.target, labels)
    if y is None or np.ptp(y) == 0:
        raise InvalidInput(f"{table.name} must have labels that vary in {table.target!r}, got one; keep more rows")
    return y if how.scale == "none" else np.asarray((y - y.min()) / np.ptp(y))
