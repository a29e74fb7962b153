"""Keep the rows of sweeps in one SQLite file, one transaction for each row; damaged rows are measured again.

A report shows the rows of any account. A resumed sweep uses only rows that its own account has measured.
"""

import json
import sqlite3
import warnings
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import finalize

from mlaudit.drawing.stores._database import close_database, open_database
from mlaudit.drawing.stores._failures import store_failure
from mlaudit.drawing.stores._key import user_key
from mlaudit.drawing.stores._seal import Origin, Seal
from mlaudit.types.checks import path_of
from mlaudit.types.row import Row, Study

FORMAT = 1
_APPLICATION_ID = 0x6D6C6172  # "mlar"
_SCHEMA = (
    "CREATE TABLE studies (name TEXT PRIMARY KEY, study TEXT NOT NULL) WITHOUT ROWID",
    """
CREATE TABLE results (
    study TEXT NOT NULL, name TEXT NOT NULL, place INTEGER NOT NULL, cell TEXT NOT NULL, row TEXT NOT NULL,
    checksum BLOB NOT NULL, PRIMARY KEY (study, name)
) WITHOUT ROWID
""",
    "CREATE INDEX by_cell ON results (cell)",
)


@dataclass(frozen=True)
class SqliteResults:
    """A file of rows, by study and settings; only the parent process writes to it."""

    path: Path
    key: bytes | None = field(default=None, repr=False)
    _db: sqlite3.Connection = field(init=False, repr=False, compare=False)
    _told: set[str] = field(init=False, repr=False, compare=False, default_factory=set)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of("path", self.path))
        object.__setattr__(self, "_db", open_database(self.path, _SCHEMA, _APPLICATION_ID, FORMAT))
        finalize(self, close_database, self._db)  # Python 3.13 warns of a connection that nobody closed

    @cached_property
    def _seal(self) -> Seal:
        return Seal(user_key() if self.key is None else self.key)  # a report needs no key, and makes none

    def describe(self, study: Study) -> None:
        """Keep the description of a study."""
        self._write("INSERT OR REPLACE INTO studies VALUES (?, ?)", (study.name, json.dumps(asdict(study))))

    def studies(self) -> list[Study]:
        """Every study of this file, by name; a study without description has only its name."""
        told = [_study(str(name), text) for name, text in self._read("SELECT name, study FROM studies ORDER BY name")]
        query = "SELECT DISTINCT study FROM results WHERE study NOT IN (SELECT name FROM studies) ORDER BY study"
        return told + [Study(str(name), str(name)) for (name,) in self._read(query)]

    def put(self, cell: str, position: int, row: Row) -> None:
        """Commit a row; `cell` is a digest of settings and code, `position` the position of the cell in its study."""
        text = json.dumps(asdict(row), ensure_ascii=False, sort_keys=True)
        values = (row.study, _name(row), position, cell, text, self._seal.of(_parts(cell, text)))
        self._write("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)", values)

    def keep(self, study: str, cells: Collection[str]) -> None:
        """Drop the rows of a study that belong to other cells (file or code have changed) or to another account."""
        there = list(self._read("SELECT name, cell, row, checksum FROM results WHERE study = ?", (study,)))
        for name, cell, text, seal in there:
            if cell not in cells or self._seal.origin(_parts(cell, text), seal) == "foreign":
                self._write("DELETE FROM results WHERE study = ? AND name = ?", (study, name))

    def find(self, cell: str) -> Row | None:
        """The row that this account measured for that cell, in any study; None if there is none or it failed."""
        query = "SELECT cell, row, checksum FROM results WHERE cell = ?"
        for row, seal in self._read_intact_rows(query, (cell,)):
            if "error" in row.values:
                continue
            if seal == "ours":
                return row
            self._warn_once(f"{self.path} holds results of another account or machine, which are measured again")
        return None

    def rows(self, study: str) -> Iterator[Row]:
        """The intact rows of a study, in its order."""
        query = "SELECT cell, row, checksum FROM results WHERE study = ? ORDER BY place"
        return (row for row, _ in self._read_intact_rows(query, (study,), own=False))

    @property
    def empty(self) -> bool:
        """Whether nothing has been measured yet."""
        return not next(self._read("SELECT EXISTS (SELECT 1 FROM results)"))[0]

    def _read_intact_rows(
        self, query: str, values: tuple[Any, ...], *, own: bool = True
    ) -> Iterator[tuple[Row, Origin]]:
        seal = self._seal if own else Seal(b"")
        for cell, text, found in self._read(query, values):
            origin, row = seal.origin(_parts(cell, text), found), _row(text)
            if origin == "damaged" or row is None:
                warnings.warn(f"a row of {self.path} is damaged and is measured again", stacklevel=3)
            else:
                yield row, origin

    def _warn_once(self, said: str) -> None:
        if said not in self._told:
            self._told.add(said)
            warnings.warn(said, stacklevel=3)

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._db.execute(query, values)
        except sqlite3.Error as error:
            raise store_failure(self.path, error) from error

    def _write(self, query: str, values: tuple[Any, ...]) -> None:
        try:
            self._db.execute(query, values)
        except sqlite3.Error as error:
            raise store_failure(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _name(row: Row) -> str:
    return json.dumps(dict(row.settings), sort_keys=True)


def _parts(cell: object, text: object) -> list[bytes]:
    return [str(part).encode("utf-8", "backslashreplace") for part in (cell, text)]


def _row(text: object) -> Row | None:
    """Read a row from its JSON; None if the file holds anything else."""
    try:
        row = Row(**json.loads(str(text)))
        whole = isinstance(row.settings, dict) and isinstance(row.values, dict)
    except (TypeError, ValueError, RecursionError):
        return None
    return row if whole else None


def _study(name: str, text: object) -> Study:
    """Read the description of a study; only texts are used, and without them the study has only its name."""
    try:
        said = json.loads(str(text))
        parts = {key: said[key] for key in ("title", "about", "figure") if isinstance(said.get(key), str)}
    except (TypeError, ValueError, AttributeError, RecursionError):
        parts = {}
    return Study(name, parts.pop("title", name), **parts)
