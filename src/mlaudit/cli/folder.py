"""The folders of runs and sweeps: their stores and the result."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from mlaudit.cli.claiming import IDENTITY, make_folders
from mlaudit.cli.result_folder import ResultFolder, remove_made
from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.errors import AuditError, Incomplete, LearnerFailed
from mlaudit.results.audit_result import AuditResult
from mlaudit.sweep.store import SqliteResults

_STORE, _RESULTS = "draws.sqlite", "results.sqlite"


@dataclass(frozen=True)
class Folder:
    """Where a run keeps its draws and leaves its result.

    As a context manager it removes what it made if the run is refused before anything was drawn.
    """

    results: ResultFolder
    store: SqliteStore
    made: tuple[Path, ...] = ()  # what was not there before, the innermost first

    @classmethod
    def open(cls, given: str | None, name: str, identity: str, shown: str) -> "Folder":
        """The folder that was asked for, or one named after the identity; see `ResultFolder.open`."""
        results = ResultFolder.open(given, name, identity, shown)
        store = results.path / _STORE
        made = results.made if not results.made or store.exists() else (store, *results.made)
        try:
            return cls(results, SqliteStore(store), made)
        except AuditError:
            remove_made(made)
            raise

    @property
    def path(self) -> Path:
        """The folder itself."""
        return self.results.path

    def __enter__(self) -> "Folder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            self._clean_up(error)
        self.store.close()  # all draws are in one file from here on

    def _clean_up(self, error: Exception) -> None:
        """A run that was refused leaves nothing behind; what was drawn is kept, unless no training ever worked.

        Draws without a result belong to no audit, unless the same command is to go on with them.
        """
        if isinstance(error, LearnerFailed) or self._is_empty():
            self.store.close()  # before its file is removed
            remove_made(self.made)
        elif not isinstance(error, Incomplete):
            remove_made(tuple(path for path in self.made if path.name == IDENTITY))

    def _is_empty(self) -> bool:
        try:
            return self.store.empty
        except AuditError:  # a damaged or locked store may hold anything
            return False

    def save(self, result: AuditResult, told: Mapping[str, Any]) -> list[Path]:
        """Write the result with what is told of it; returns what was written."""
        return [self.results.save(result, told)]


@contextmanager
def open_sweep_stores(folder: Path) -> Iterator[tuple[SqliteResults, SqliteStore]]:
    """The two stores of a sweep's folder; a sweep that fails before anything is measured leaves nothing behind."""
    made = make_folders(folder)
    files = tuple(folder / name for name in (_RESULTS, _STORE) if not (folder / name).exists())
    opened: list[SqliteResults | SqliteStore] = []
    try:
        results = SqliteResults(folder / _RESULTS)
        opened.append(results)
        store = SqliteStore(folder / _STORE)
        opened.append(store)
        yield results, store
    except Exception:
        with suppress(AuditError):
            if all(one.empty for one in opened):
                for one in opened:
                    one.close()
                remove_made((*files, *made))
        raise
