"""A store that nobody uses any more leaves no open connection; Python 3.13 warns of those."""

import gc
import sqlite3
from pathlib import Path

import pytest

from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.sweep.store import SqliteResults


@pytest.mark.parametrize("kind", [SqliteStore, SqliteResults])
@pytest.mark.slow
def test_a_forgotten_store_is_closed(kind: type[SqliteStore] | type[SqliteResults], tmp_path: Path) -> None:
    store = kind(tmp_path / "store.sqlite")
    connection = store._db
    connection.execute("SELECT 1")
    del store
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        connection.execute("SELECT 1")
