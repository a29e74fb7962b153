"""Keeps draws in one SQLite file, one transaction for each block: a kill loses only unfinished blocks."""

import json
import sqlite3
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import finalize

import numpy as np

from mlaudit.drawing.stores._database import close_database, open_database
from mlaudit.drawing.stores._failures import store_failure
from mlaudit.drawing.stores._key import user_key
from mlaudit.drawing.stores._seal import Seal
from mlaudit.types.block import Block
from mlaudit.types.checks import path_of

FORMAT = 1
_APPLICATION_ID = 0x6D6C6175  # "mlau": tells our files from other people's databases
# The column `arm` holds the key of a stream: its name is that of version 0.1.0, whose stores stay readable.
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
    """Keeps trainings in a file, so that an audit that was killed continues where it stopped.

    Only the parent process writes to the file. Blocks that are not sealed with `key` are never returned, so the
    trainings in a file of another account are repeated.

    Args:
        path: The file; it is made if it does not exist.
        key: The secret that blocks are sealed with. Default: the key of this account.

    Raises:
        InvalidInput: If `path` names no file.
        StoreError: If the file cannot be opened, or is not a store of mlaudit.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from mlaudit import Claim, audit
        >>> with TemporaryDirectory() as folder:
        ...     store = SqliteStore(Path(folder) / "draws.sqlite")
        ...     first, again = (audit("laplace", rows=1, trainings=200, store=store) for _ in range(2))
        ...     store.close()
        >>> first.epsilon_lower == again.epsilon_lower  # the second audit read all its trainings from the file
        True
    """

    path: Path
    key: bytes | None = field(default=None, repr=False)
    _db: sqlite3.Connection = field(init=False, repr=False, compare=False)
    _seal: Seal = field(init=False, repr=False, compare=False)
    _told: set[str] = field(init=False, repr=False, compare=False, default_factory=set)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_of("path", self.path))
        object.__setattr__(self, "_seal", Seal(user_key() if self.key is None else self.key))
        object.__setattr__(self, "_db", open_database(self.path, (_SCHEMA,), _APPLICATION_ID, FORMAT))
        finalize(self, close_database, self._db)  # Python 3.13 warns of a connection that nobody closed

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        """Yield the intact blocks of a stream that overlap a range of its trainings.

        A block that is damaged, or that another account wrote, is skipped with a warning.

        Args:
            key: The name of the stream.
            start: The number of the first training that is wanted.
            stop: The number behind the last training that is wanted.

        Yields:
            The number of the first training of each block, and the block.

        Raises:
            Incomplete: If another process uses the file.
            StoreError: If the file cannot be read.
        """
        for first, n, width, z, lengths, kinds, error, cpu_seconds, seal in self._rows(key, start, stop):
            row = (key, first, n, width, z, lengths, kinds, error, cpu_seconds)
            origin = self._seal.origin(_parts(row), seal)
            if origin != "ours":
                self._warn_once(origin, first)
                continue
            names = np.array(json.loads(kinds), dtype=np.str_) if kinds else np.full(n, "")
            vectors = np.frombuffer(z, dtype="<f8").reshape(n, width)
            yield first, Block(vectors, np.frombuffer(lengths, dtype="<i8"), names, error, cpu_seconds)

    def _warn_once(self, origin: str, first: int) -> None:
        """Warn of each damaged block, and once of blocks of another account."""
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
        """Commit a block; it replaces a damaged or shorter block with the same start, but no intact longer one.

        Args:
            key: The name of the stream.
            start: The number of the first training of the block.
            block: The outputs of consecutive trainings.

        Raises:
            Incomplete: If the disk is full, or another process uses the file.
            StoreError: If the file cannot be written to.
        """
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
        except (sqlite3.Error, OverflowError) as error:
            raise store_failure(self.path, error) from error

    @property
    def empty(self) -> bool:
        """Whether no training is kept; other entries have keys with a space."""
        query = "SELECT EXISTS (SELECT 1 FROM blocks WHERE instr(arm, ' ') = 0)"
        try:
            return not self._db.execute(query).fetchone()[0]
        except sqlite3.Error as error:
            raise store_failure(self.path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _parts(row: tuple[Any, ...]) -> list[bytes]:
    """The columns of a row as bytes, whatever a damaged file holds."""
    return [value if isinstance(value, bytes) else repr(value).encode("utf-8", "backslashreplace") for value in row]
