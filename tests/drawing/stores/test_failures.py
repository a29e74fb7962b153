"""What SQLite cannot do, each with the sentence that helps; the locks, disks and permissions are real."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from mlaudit.cli import main
from mlaudit.drawing.stores import sqlite
from mlaudit.drawing.stores._database import open_database
from mlaudit.drawing.stores._failures import store_failure
from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.errors import AuditError, Incomplete, StoreError
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.block import Block

HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""
RUN = ["run", "laplace", "--rows", "1", "--trainings", "100", "--quiet"]


def block(rows: int = 1) -> Block:
    return Block(np.zeros((rows, 1)), np.ones(rows, dtype=np.int64), np.full(rows, ""), "", 0.0)


def open_again(path: Path) -> sqlite3.Connection:
    return open_database(path, (sqlite._SCHEMA,), sqlite._APPLICATION_ID, sqlite.FORMAT, wait=0.2)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Another process that holds the store until we are done."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield
        finally:
            other.communicate()


def test_a_store_that_another_process_writes_to_says_so(tmp_path: Path) -> None:
    path = tmp_path / "draws.sqlite"
    store = SqliteStore(path)
    store._db.execute("PRAGMA busy_timeout = 200")
    with (
        held(path),
        pytest.raises(Incomplete, match="in use by another process, got: database is locked; wait") as told,
    ):
        store.put("arm", 0, block())
    assert "free some space" not in str(told.value)
    assert "permissions" not in str(told.value)
    store.put("arm", 0, block())
    store.close()


def test_a_new_store_that_another_process_makes_at_the_moment_says_so(tmp_path: Path) -> None:
    path = tmp_path / "draws.sqlite"
    with held(path), pytest.raises(Incomplete, match="in use by another process"):
        open_again(path)
    open_again(path).close()


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of that size; only an administrator can make one."""
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only an administrator mounts file systems")
@pytest.mark.parametrize("size", ["4k", "8k", "16k", "32k", "48k", "64k"])
def test_a_full_disk_says_so(size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_disk(tmp_path / "disk", size) as disk:
        assert main([*RUN, "--trainings", "2000", "--out", str(disk / "out")]) == 4
        said = capsys.readouterr().err
        assert "free some space" in said or "No space left" in said
        assert "permissions" not in said
        assert said.count("\n") == 1


def test_a_file_that_cannot_grow_says_so(tmp_path: Path) -> None:
    """As on a full disk, without an administrator."""
    store = SqliteStore(tmp_path / "draws.sqlite")
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(Incomplete, match="must have room for more, got: database or disk is full; free some space"):
        store.put("arm", 0, block(10_000))
    store.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may write anywhere")
def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="fix its permissions"):
            SqliteStore(tmp_path / "draws.sqlite")
    finally:
        tmp_path.chmod(0o700)


def test_a_store_in_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="got: unable to open database file; give another folder or fix its perm"):
        SqliteStore(tmp_path / "nowhere" / "draws.sqlite")


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all " * 500)


def broken_pages(path: Path) -> None:
    store = SqliteStore(path)
    for start in range(20):
        store.put("arm", 1000 * start, block(1000))
    store.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))


@pytest.mark.parametrize(("damage", "said"), [(garbage, "not a database"), (broken_pages, "malformed")])
def test_a_damaged_store_says_so(damage: Callable[[Path], None], said: str, tmp_path: Path) -> None:
    damage(tmp_path / "draws.sqlite")
    with pytest.raises(StoreError, match=said) as told:
        list(SqliteStore(tmp_path / "draws.sqlite").read("arm", 0, 10**9))
    assert "give another folder" in str(told.value)
    assert "space" not in str(told.value)


CODES = {
    "SQLITE_BUSY": "in use by another process",
    "SQLITE_BUSY_SNAPSHOT": "in use by another process",
    "SQLITE_LOCKED": "in use by another process",
    "SQLITE_FULL": "free some space",
    "SQLITE_IOERR_WRITE": "free some space",
    "SQLITE_IOERR_SHMSIZE": "free some space",
    "SQLITE_READONLY": "fix its permissions",
    "SQLITE_READONLY_DIRECTORY": "fix its permissions",
    "SQLITE_CANTOPEN": "fix its permissions",
    "SQLITE_PERM": "fix its permissions",
    "SQLITE_CORRUPT": "must be an intact store",
    "SQLITE_NOTADB": "must be a store of mlaudit",
    "SQLITE_ERROR": "must be a store of mlaudit",
}


@pytest.mark.parametrize("name", CODES)
def test_every_code_has_its_sentence(name: str) -> None:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = getattr(sqlite3, name)
    told = store_failure(Path("a.sqlite"), error)
    assert isinstance(told, AuditError)
    assert CODES[name] in str(told)
    assert "a.sqlite" in str(told)
    assert "what SQLite says" in str(told)
    others = set(CODES.values()) - {CODES[name]}
    assert not [other for other in others if other in str(told)]


def test_an_error_without_a_code_has_a_sentence() -> None:
    assert "must be a store" in str(store_failure(Path("a.sqlite"), sqlite3.ProgrammingError("closed")))


def test_both_stores_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for kind in (SqliteResults, SqliteStore):
        with pytest.raises(StoreError, match="unable to open database file"):
            kind(tmp_path / "folder")


@pytest.mark.parametrize("error", [sqlite3.DataError("too big"), OverflowError("BLOB longer than INT_MAX bytes")])
def test_a_block_that_no_store_can_hold_says_so(error: sqlite3.Error | OverflowError, tmp_path: Path) -> None:
    if isinstance(error, sqlite3.Error):
        error.sqlite_errorcode = sqlite3.SQLITE_TOOBIG
    found = store_failure(tmp_path / "draws.sqlite", error)
    assert isinstance(found, StoreError)
    assert "at most 1 GB of outputs" in str(found)
    assert "--columns" in str(found)


def test_a_block_above_the_limit_of_the_store_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "draws.sqlite")
    store._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 10_000)  # instead of a gigabyte
    rows = np.zeros((10, 1000))
    with pytest.raises(StoreError, match="keep fewer columns"):
        store.put("key", 0, Block(rows, np.full(10, 1000), np.full(10, ""), "", 0.0))
    store.close()
