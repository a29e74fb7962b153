"""Keeps the rows of sweeps in one SQLite file, a transaction a row; damaged ones are left out and measured again."""

import json
import sqlite3
import warnings
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from mlaudit.errors import StoreError
from mlaudit.stores._database import no_room, opened
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
    """One file of rows, by study and settings; only the parent process writes to it."""

    path: Path
    _db: sqlite3.Connection = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of("path", self.path))
        object.__setattr__(self, "_db", opened(self.path, _SCHEMA, _APPLICATION_ID, FORMAT))

    def describe(self, study: Study) -> None:
        """Keep what a sweep says of itself."""
        self._write("INSERT OR REPLACE INTO studies VALUES (?, ?)", (study.name, json.dumps(asdict(study))))

    def studies(self) -> list[Study]:
        """Every sweep of this file, by name; one that never said what it is goes by its name alone."""
        told = [Study(**json.loads(text)) for (text,) in self._read("SELECT study FROM studies ORDER BY name")]
        query = "SELECT DISTINCT study FROM results WHERE study NOT IN (SELECT name FROM studies) ORDER BY study"
        return told + [Study(name, name) for (name,) in self._read(query)]

    def put(self, cell: str, place: int, row: Row) -> None:
        """Commit a row; `cell` says what was measured and with which code, `place` where it stands in its study."""
        text = json.dumps(asdict(row), ensure_ascii=False, sort_keys=True)
        values = (row.study, _name(row), place, cell, text, _sum(cell, text))
        self._write("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?, ?)", values)

    def keep(self, study: str, cells: Collection[str]) -> None:
        """Drop rows of a study that are not of these cells: its file, or the code, has changed."""
        there = self._read("SELECT DISTINCT cell FROM results WHERE study = ?", (study,))
        for (gone,) in [(cell,) for (cell,) in there if cell not in cells]:
            self._write("DELETE FROM results WHERE study = ? AND cell = ?", (study, gone))

    def find(self, cell: str) -> Row | None:
        """What was measured in that cell, for whichever study; nothing where it failed."""
        for _, row in self._intact("SELECT cell, row, checksum FROM results WHERE cell = ?", (cell,)):
            if "error" not in row.values:
                return row
        return None

    def rows(self, study: str) -> Iterator[Row]:
        """The intact rows of a study, in its order."""
        query = "SELECT cell, row, checksum FROM results WHERE study = ? ORDER BY place"
        return (row for _, row in self._intact(query, (study,)))

    def _intact(self, query: str, values: tuple[Any, ...]) -> Iterator[tuple[str, Row]]:
        for cell, text, checksum in self._read(query, values):
            if checksum == _sum(cell, text):
                yield cell, Row(**json.loads(text))
            else:
                warnings.warn(f"a row of {self.path} is damaged and is measured again", stacklevel=3)

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._db.execute(query, values)
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} must be an intact store, got: {error}; give another folder") from error

    def _write(self, query: str, values: tuple[Any, ...]) -> None:
        try:
            self._db.execute(query, values)
        except sqlite3.Error as error:
            raise no_room(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _name(row: Row) -> str:
    return json.dumps(dict(row.settings), sort_keys=True)


def _sum(cell: str, text: str) -> bytes:
    return blake2b(f"{cell}\n{text}".encode(), digest_size=16).digest()
