"""Opening a SQLite file of ours: made when it is missing, refused when it is somebody else's."""

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from mlaudit.errors import Incomplete, StoreError

_TRIES, _PAUSE = 100, 0.05  # seconds
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_IOERR_WRITE)


def opened(path: Path, schema: Sequence[str], application: int, version: int) -> sqlite3.Connection:
    """A connection that commits every statement by itself."""
    try:
        db = sqlite3.connect(path, isolation_level=None, timeout=60)
        _prepare(db, path, schema, application, version)
    except sqlite3.Error as error:
        if error.sqlite_errorcode in _NO_ROOM:
            raise no_room(path, error) from error
        raise StoreError(
            f"{path} must be a store that can be read and written, got: {error}; "
            "give another folder or fix its permissions"
        ) from error
    return db


def _prepare(db: sqlite3.Connection, path: Path, schema: Sequence[str], application: int, version: int) -> None:
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and _pragma(db, "application_id") != application:
        raise StoreError(f"{path} must be a store of mlaudit, got another database; give another folder")
    if tables and _pragma(db, "user_version") != version:
        raise StoreError(
            f"{path} must be a store of format {version}, got format {_pragma(db, 'user_version')} "
            "from another version of mlaudit; give another folder or use that version"
        )
    _write_ahead(db)
    db.execute("PRAGMA synchronous = NORMAL")
    if not tables:
        _make(db, schema, application, version)


def _write_ahead(db: sqlite3.Connection) -> None:
    """Switch to a write-ahead log; SQLite does not wait by itself while another process is about to do the same."""
    for left in reversed(range(_TRIES)):
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or not left:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _make(db: sqlite3.Connection, schema: Sequence[str], application: int, version: int) -> None:
    """Make the tables, unless another process has done so since they were looked for."""
    db.execute("BEGIN IMMEDIATE")
    if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in schema:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {application}")
        db.execute(f"PRAGMA user_version = {version}")
    db.execute("COMMIT")


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def no_room(path: Path, error: sqlite3.Error) -> Incomplete:
    """What is said when a write fails."""
    return Incomplete(
        f"{path} must have room for more, got: {error}; free some space and run the same command again: "
        "what was drawn is kept"
    )
