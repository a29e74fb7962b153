"""A new store that two commands open at the same moment."""

import multiprocessing
from pathlib import Path

from mlaudit.stores.results import SqliteResults


def opens(path: Path) -> bool:
    SqliteResults(path).close()
    return True


def test_many_processes_make_the_same_store(tmp_path: Path) -> None:
    with multiprocessing.get_context("fork").Pool(6) as pool:
        for attempt in range(10):
            assert all(pool.map(opens, [tmp_path / f"{attempt}.sqlite"] * 6, chunksize=1))
