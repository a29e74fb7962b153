"""Translate SQLite errors into sentences that say what the user can do."""

import sqlite3
from pathlib import Path

from mlaudit.errors import AuditError, Incomplete, StoreError

_AGAIN = "run the same command again: finished trainings are kept"
_PRIMARY = 0xFF  # the upper bits of a code only say more about the lower eight


def store_failure(path: Path, error: sqlite3.Error | OverflowError) -> AuditError:
    """The error to raise for a store that SQLite cannot use.

    >>> full = sqlite3.OperationalError("database or disk is full")
    >>> full.sqlite_errorcode = sqlite3.SQLITE_FULL
    >>> print(store_failure(Path("a.sqlite"), full))
    a.sqlite must have room for more, got: database or disk is full; free some space and run the same command again: \
finished trainings are kept
    """
    if isinstance(error, OverflowError) or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_TOOBIG:
        return StoreError(
            f"{path} can hold at most 1 GB of outputs that were drawn at once, got: {error}; keep fewer columns "
            "(--columns), or give the learner's output fewer numbers"
        )
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & _PRIMARY
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return Incomplete(
            f"{path} must not be in use by another process, got: {error}; wait until that process ends and {_AGAIN}"
        )
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):  # on a full disk the shared memory file fails so
        return Incomplete(f"{path} must have room for more, got: {error}; free some space and {_AGAIN}")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
        return StoreError(
            f"{path} must be a file that can be read and written, got: {error}; "
            "give another folder or fix its permissions"
        )
    if code == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"{path} must be an intact store, got: {error}; remove it or give another folder")
    return StoreError(f"{path} must be a store of mlaudit, got: {error}; give another folder")
