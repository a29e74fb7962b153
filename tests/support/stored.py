"""What a folder's store holds."""

import sqlite3
from contextlib import closing
from pathlib import Path


def count_stored(folder: Path) -> tuple[int, int]:
    """Streams and trainings: no stream was started anew, no training drawn twice."""
    with closing(sqlite3.connect(folder / "draws.sqlite")) as db:
        counts = "SELECT count(DISTINCT arm), sum(n) FROM blocks WHERE arm NOT LIKE 'repeatable %'"
        streams, trainings = db.execute(counts).fetchone()
    return streams, trainings
