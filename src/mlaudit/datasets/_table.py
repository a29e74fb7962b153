"""A raw table: columns of text as they were published, and which of them is the label."""

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mlaudit.errors import InvalidInput, MissingExtra, UnknownName

Text = NDArray[np.str_]
MISSING = ("", "?", "NA", "N/A", "nan", "NaN", "null", "None")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, in order; `categorical` names the ones whose numbers are only codes.

    A `published` table is prepared as the ML-Audit paper prepared it: nothing in it is taken for an identifier, a
    date or a boolean, and `classes` are those that it is used with. So its numbers stay comparable.
    """

    name: str
    columns: dict[str, Text]
    target: str
    categorical: tuple[str, ...] = ()
    published: bool = False
    classes: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.target not in self.columns:
            raise UnknownName(f"column of {self.name}", self.target, self.columns)
        if len(self.columns) < 2:
            raise InvalidInput(
                f"{self.name} must have at least one column beside the label {self.target!r}, got none"
            )
        if not len(self):
            raise InvalidInput(f"{self.name} must have at least one row, got none")

    def __len__(self) -> int:
        return len(self.columns[self.target])


def read_table(path: Path, target: str | None = None, categorical: tuple[str, ...] = ()) -> Table:
    """A CSV (.csv, .csv.gz) or Parquet file; the label is the column `target`, or the last one."""
    columns = read_columns(path)
    return Table(path.name, columns, list(columns)[-1] if target is None else target, categorical)


def read_columns(path: Path) -> dict[str, Text]:
    """The columns of a file by name, as texts."""
    columns = _parquet(path) if path.suffix == ".parquet" else _csv(path)
    if not columns:
        raise InvalidInput(f"{path} must have columns, got none")
    return columns


def _csv(path: Path) -> dict[str, Text]:
    try:
        lines = list(_lines(path))
    except (OSError, UnicodeDecodeError, EOFError, zlib.error, csv.Error) as error:
        raise InvalidInput(f"{path} must be a readable CSV file in UTF-8, got: {error}") from error
    if len(lines) < 2:
        raise InvalidInput(f"{path} must have a header and at least one row, got {len(lines)} lines")
    header = [name.strip() for name in lines[0][1]]
    repeated = sorted(name for name, times in Counter(header).items() if times > 1)
    if repeated:
        raise InvalidInput(f"{path} must name every column differently, got {repeated[0]!r} twice")
    for number, row in lines[1:]:
        if len(row) != len(header):
            raise InvalidInput(
                f"{path} must have {len(header)} values in every line, got {len(row)} in line {number}"
            )
    return {name: np.array([row[i].strip() for _, row in lines[1:]]) for i, name in enumerate(header)}


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, with the number of the line each ends in."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, strict=True)  # else a quote that is never closed swallows all rows behind it
        yield from ((reader.line_num, row) for row in reader if row)


def _parquet(path: Path) -> dict[str, Text]:
    try:
        from pyarrow import parquet  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("pyarrow", "parquet") from None
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{path} must be a readable Parquet file, got: {error}") from error
    return {
        name: np.array(["" if v is None else str(v) for v in table.column(name).to_pylist()])
        for name in table.column_names
    }
