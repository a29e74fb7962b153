"""The folders of runs and sweeps: whose they are, the stores, the result, the figure."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

from mlaudit.cli.claiming import IDENTITY, Claimant, claim, make_folders
from mlaudit.cli.writing import write_whole
from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.errors import AuditError, Incomplete, InvalidInput, LearnerFailed, MissingExtra
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.json import read_object
from mlaudit.sweep.store import SqliteResults

_STORE, _RESULTS = "draws.sqlite", "results.sqlite"


@dataclass(frozen=True)
class Folder:
    """Where a run keeps its draws and leaves its result.

    As a context manager it removes what it made if the run is refused before anything was drawn.
    """

    path: Path
    identity: str
    store: SqliteStore
    made: tuple[Path, ...] = ()  # what was not there before, the innermost first

    @classmethod
    def open(cls, given: str | None, name: str, identity: str, shown: str) -> "Folder":
        """The folder that was asked for, or one named after the identity, so that the same command finds it again.

        Args:
            given: The folder that was asked for.
            name: The beginning of a folder's name where none was asked for.
            identity: A hash of the audit. A folder that holds another one is refused.
            shown: Which audit this is in a few words, for whoever wants the folder for another one.
        """
        identity = identity[:16]
        slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "run"
        path = Path(given) if given else Path("mlaudit-runs") / f"{slug}-{identity[:8]}"
        _refuse_another(path / "result.json", identity)
        made = claim(path, Claimant(identity, shown))
        store = path / _STORE
        made = made if not made or store.exists() else (store, *made)
        try:
            return cls(path, identity, SqliteStore(store), made)
        except AuditError:
            _remove(made)
            raise

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
            _remove(self.made)
        elif not isinstance(error, Incomplete):
            _remove(tuple(path for path in self.made if path.name == IDENTITY))

    def _is_empty(self) -> bool:
        try:
            return self.store.empty
        except AuditError:  # a damaged or locked store may hold anything
            return False

    def keep(self, name: str, text: str) -> Path:
        """Write one more file beside the result."""
        path = self.path / name
        try:
            write_whole(path, text)
        except OSError as error:
            raise Incomplete(f"{name} cannot be written: {error}; run the same command again") from error
        return path

    def save(self, result: AuditResult, command: str = "") -> list[Path]:
        """Write the result, the command that repeats it, and the figure; returns what was written."""
        written = [self.path / "result.json"]
        more = {"identity": self.identity} | ({"command": command} if command else {})
        try:
            write_whole(written[0], result.to_json(more))
            with suppress(MissingExtra):  # the figure is a courtesy; `report` is an extra
                write_whole(self.path / "figure.svg", _draw_figure(result))
                written.append(self.path / "figure.svg")
        except OSError as error:
            raise Incomplete(f"the result cannot be written: {error}; run the same command again") from error
        return written


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
                _remove((*files, *made))
        raise


def _draw_figure(result: AuditResult) -> bytes:
    from mlaudit.report.plots import draw

    with TemporaryDirectory() as folder:
        return draw(result, Path(folder) / "figure.svg").read_bytes()


def _remove(made: tuple[Path, ...]) -> None:
    """Files and then folders that a command made; a folder that holds anything else stays."""
    for path in made:
        with suppress(OSError):
            if path.is_dir():
                path.rmdir()
            else:
                for beside in ("-wal", "-shm", "-journal", ""):  # SQLite's, where it is a store
                    path.with_name(f"{path.name}{beside}").unlink(missing_ok=True)


def _refuse_another(path: Path, identity: str) -> None:
    """A folder holds one audit: never write over the result of another."""
    if not path.exists():
        return
    try:
        found = read_object(path.read_text(encoding="utf-8", errors="replace"), str(path))
    except (OSError, InvalidInput) as error:
        raise InvalidInput(f"{error}; remove it or give another --out") from error
    if found.get("identity") != identity:
        raise InvalidInput(
            f"{path.parent} holds the result of another audit ({found.get('mechanism')}, seed {found.get('seed')}); "
            "give another --out"
        )
