"""Keeps draws in one SQLite file, a transaction a block, so that a kill loses at most what was under way."""

import json
import sqlite3
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.errors import StoreError
from mlaudit.stores._database import no_room, opened
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
    """One file of blocks; only the parent process writes to it."""

    path: Path
    _db: sqlite3.Connection = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of("path", self.path))
        object.__setattr__(self, "_db", opened(self.path, (_SCHEMA,), _APPLICATION_ID, FORMAT))

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        """The intact blocks of that arm which overlap [start, stop); a damaged one is left out, aloud."""
        for first, n, width, z, lengths, kinds, error, cpu_seconds, checksum in self._rows(key, start, stop):
            if checksum != _checksum((key, first, n, width), z, lengths, kinds):
                warnings.warn(f"block {first} of {self.path} is damaged and is drawn again", stacklevel=2)
                continue
            names = np.array(json.loads(kinds), dtype=np.str_) if kinds else np.full(n, "")
            vectors = np.frombuffer(z, dtype="<f8").reshape(n, width)
            yield first, Block(vectors, np.frombuffer(lengths, dtype="<i8"), names, error, cpu_seconds)

    def _rows(self, key: str, start: int, stop: int) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(
                "SELECT start, n, width, z, lengths, kinds, error, cpu_seconds, checksum FROM blocks "
                "WHERE arm = ? AND start < ? AND start + n > ? ORDER BY start",
                (key, stop, start),
            ).fetchall()
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} must be an intact store, got: {error}; give another folder") from error

    def put(self, key: str, start: int, block: Block) -> None:
        """Commit a block; a damaged or shorter one in its place is replaced, an intact longer one is kept."""
        if any(first == start and len(there) >= len(block) for first, there in self.read(key, start, start + 1)):
            return
        z, lengths = block.z.astype("<f8").tobytes(), block.lengths.astype("<i8").tobytes()
        kinds = json.dumps(block.kinds.tolist()) if (block.kinds != "").any() else ""
        row = (key, start, len(block), block.z.shape[1], z, lengths, kinds, block.error, block.cpu_seconds)
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, _checksum(row[:4], z, lengths, kinds)),
            )
        except sqlite3.Error as error:
            raise no_room(self.path, error) from error

    @property
    def empty(self) -> bool:
        """Whether nothing was ever kept in it."""
        return self._db.execute("SELECT 1 FROM blocks LIMIT 1").fetchone() is None

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _checksum(place: tuple[str, int, int, int], z: bytes, lengths: bytes, kinds: str) -> bytes:
    h = blake2b(repr(place).encode(), digest_size=16)
    h.update(z)
    h.update(lengths)
    h.update(kinds.encode())
    return h.digest()
