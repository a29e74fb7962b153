"""Open a SQLite file of mlaudit: create it if it is missing, refuse a file of another program."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from mlaudit.drawing.stores._failures import store_failure
from mlaudit.errors import StoreError

_PAGE = 1 << 15  # bytes: a block of draws is half a megabyte, and every page of it costs time
_TRIES, _PAUSE = 100, 0.05  # seconds
_WAIT = 60.0  # seconds for which another process may hold a lock


def open_database(
    path: Path, schema: Sequence[str], application: int, version: int, wait: float = _WAIT
) -> sqlite3.Connection:
    """Open a connection that commits every statement by itself."""
    try:
        db = sqlite3.connect(path, isolation_level=None, timeout=wait)
    except sqlite3.Error as error:
        raise store_failure(path, error) from error
    try:
        _prepare(db, path, schema, application, version)
    except sqlite3.Error as error:
        db.close()
        raise store_failure(path, error) from error
    except StoreError:
        db.close()
        raise
    return db


def close_database(db: sqlite3.Connection) -> None:
    """Close a connection that nobody uses any more; in another thread, where SQLite refuses to, it is left to SQLite.

    >>> db = sqlite3.connect(":memory:")
    >>> close_database(db), close_database(db)
    (None, None)
    """
    with suppress(sqlite3.ProgrammingError):
        db.close()


def _prepare(db: sqlite3.Connection, path: Path, schema: Sequence[str], application: int, version: int) -> None:
    db.execute("PRAGMA trusted_schema = OFF")  # the file may come from a stranger
    tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables and _pragma(db, "application_id") != application:
        raise StoreError(f"{path} must be a store of mlaudit, got another database; give another folder")
    if tables and _pragma(db, "user_version") != version:
        raise StoreError(
            f"{path} must be a store of format {version}, got format {_pragma(db, 'user_version')} "
            "from another version of mlaudit; give another folder or use that version"
        )
    if tables and _layout(db) != _layout_of(schema):
        raise StoreError(f"{path} must have the tables that mlaudit makes, got others; give another folder")
    if not tables:
        db.execute(f"PRAGMA page_size = {_PAGE}")
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
    """Create the tables, unless another process has created them meanwhile."""
    db.execute("BEGIN IMMEDIATE")
    if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in schema:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {application}")
        db.execute(f"PRAGMA user_version = {version}")
    db.execute("COMMIT")


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])


def _layout(db: sqlite3.Connection) -> list[tuple[str, ...]]:
    """Every table, index, view and trigger as declared: a foreign view or trigger could run its own query."""
    return sorted(db.execute("SELECT type, name, coalesce(sql, '') FROM sqlite_master").fetchall())


def _layout_of(schema: Sequence[str]) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for statement in schema:
            db.execute(statement)
        return _layout(db)
