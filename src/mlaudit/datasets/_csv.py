"""A CSV file of numbers with a header and a label column."""

import csv
from pathlib import Path

import numpy as np

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.arrays import AnyArray, FloatArray
from mlaudit.types.dataset import Dataset


def read_csv(path: Path, target: str | None) -> Dataset:
    """Rows of numbers, labels from the column `target`, or from the last one."""
    header, rows = _read(path)
    column = header[-1] if target is None else target
    if column not in header:
        raise UnknownName(f"column of {path}", column, header)
    at = header.index(column)
    if len(header) < 2:
        raise InvalidInput(f"{path} must have at least one column beside the label, got only {column!r}")
    X = _numbers(path, [name for i, name in enumerate(header) if i != at], [r[:at] + r[at + 1 :] for r in rows])
    return Dataset(X, _labels([row[at] for row in rows]), name=path.stem)


def _read(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{path} must be a readable CSV file in UTF-8, got: {error}") from error
    if len(lines) < 2:
        raise InvalidInput(f"{path} must have a header and at least one row, got {len(lines)} lines")
    header = lines[0]
    for number, row in enumerate(lines[1:], start=2):
        if len(row) != len(header):
            raise InvalidInput(
                f"{path} must have {len(header)} values in every line, got {len(row)} in line {number}"
            )
    return header, lines[1:]


def _numbers(path: Path, names: list[str], rows: list[list[str]]) -> FloatArray:
    table = np.empty((len(rows), len(names)))
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            try:
                table[i, j] = float(value)
            except ValueError:
                raise InvalidInput(
                    f"{path} must hold numbers, got {value!r} in column {names[j]!r}, line {i + 2}; "
                    "encode it or leave the column out"
                ) from None
    return table


def _labels(values: list[str]) -> AnyArray:
    try:
        numbers = np.array([float(v) for v in values])
    except ValueError:
        return np.array(values)
    whole = (numbers == np.rint(numbers)) & (np.abs(numbers) < 2**53)
    return numbers.astype(np.int64) if whole.all() else numbers
