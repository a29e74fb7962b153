"""Keeps draws in one SQLite file, a transaction a block, so that a kill loses at most what was under way."""

import json
import sqlite3
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from mlaudit.stores._database import opened
from mlaudit.stores._failures import store_failure
from mlaudit.stores._key import user_key
from mlaudit.stores._seal import Seal
from mlaudit.types.block import Block
from mlaudit.types.checks import path_of

FORMAT = 1
_APPLICATION_ID = 0x6D6C6175  # "mlau": tells our files from other people's databases
_SCHEMA = """
CREATE TABLE blocks (
    arm TEXT NOT NULL, start INTEGER NOT NULL, n INTEGER NOT NULL,
    width INTEGER NOT NULL, z BLOB NOT NULL, lengths BLOB NOT NULL, kinds TEXT NOT NULL,
    error TEXT NOT NULL, cpu_seconds REAL NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (arm, start)
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class SqliteStore:
    """One file of blocks; only the parent process writes to it.

    Blocks that were not sealed with `key` (by default the user's own) are never returned: see `_seal`.
    """

    path: Path
    key: bytes | None = field(default=None, repr=False)
    _db: sqlite3.Connection = field(init=False, repr=False, compare=False)
    _seal: Seal = field(init=False, repr=False, compare=False)
    _told: set[str] = field(init=False, repr=False, compare=False, default_factory=set)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of("path", self.path))
        object.__setattr__(self, "_seal", Seal(user_key() if self.key is None else self.key))
        object.__setattr__(self, "_db", opened(self.path, (_SCHEMA,), _APPLICATION_ID, FORMAT))
        finalize(self, self._db.close)  # Python 3.13 warns of a connection that nobody closed

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        """The blocks of that arm which overlap [start, stop), but for those that are damaged or another account's."""
        for first, n, width, z, lengths, kinds, error, cpu_seconds, seal in self._rows(key, start, stop):
            row = (key, first, n, width, z, lengths, kinds, error, cpu_seconds)
            origin = self._seal.origin(_parts(row), seal)
            if origin != "ours":
                self._tell(origin, first)
                continue
            names = np.array(json.loads(kinds), dtype=np.str_) if kinds else np.full(n, "")
            vectors = np.frombuffer(z, dtype="<f8").reshape(n, width)
            yield first, Block(vectors, np.frombuffer(lengths, dtype="<i8"), names, error, cpu_seconds)

    def _tell(self, origin: str, first: int) -> None:
        """Each damaged block, and once that there are blocks of another account."""
        said = f"block {first} of {self.path} is damaged and is drawn again"
        if origin == "foreign":
            said = (
                f"{self.path} holds draws of another account or machine, which are drawn again; to continue your own "
                "on another machine, copy the key as docs/trust.md says"
            )
        if said not in self._told:
            self._told.add(said)
            warnings.warn(said, stacklevel=3)

    def _rows(self, key: str, start: int, stop: int) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(
                "SELECT start, n, width, z, lengths, kinds, error, cpu_seconds, checksum FROM blocks "
                "WHERE arm = ? AND start < ? AND start + n > ? ORDER BY start",
                (key, stop, start),
            ).fetchall()
        except sqlite3.Error as error:
            raise store_failure(self.path, error) from error

    def put(self, key: str, start: int, block: Block) -> None:
        """Commit a block; a damaged or shorter one in its place is replaced, an intact longer one is kept."""
        if any(first == start and len(there) >= len(block) for first, there in self.read(key, start, start + 1)):
            return
        z, lengths = block.z.astype("<f8").tobytes(), block.lengths.astype("<i8").tobytes()
        kinds = json.dumps(block.kinds.tolist()) if (block.kinds != "").any() else ""
        spent = float(block.cpu_seconds)  # as SQLite gives it back
        row = (key, int(start), len(block), block.z.shape[1], z, lengths, kinds, block.error, spent)
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, self._seal.of(_parts(row))),
            )
        except sqlite3.Error as error:
            raise store_failure(self.path, error) from error

    @property
    def empty(self) -> bool:
        """Whether no training has been kept yet; what is known of a learner goes by a name with spaces in it."""
        query = "SELECT EXISTS (SELECT 1 FROM blocks WHERE instr(arm, ' ') = 0)"
        try:
            return not self._db.execute(query).fetchone()[0]
        except sqlite3.Error as error:
            raise store_failure(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _parts(row: tuple[Any, ...]) -> list[bytes]:
    """A row as bytes, whatever a damaged file holds in its columns."""
    return [value if isinstance(value, bytes) else repr(value).encode("utf-8", "backslashreplace") for value in row]
