"""A run's folder: the store, the result, the figure."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from mlaudit.errors import Incomplete, InvalidInput, MissingExtra
from mlaudit.report.json import dumps, read_object
from mlaudit.stores.sqlite import SqliteStore
from mlaudit.types.result import AuditResult


@dataclass(frozen=True)
class Folder:
    """Where a run keeps its draws and leaves its result."""

    path: Path
    identity: str
    store: SqliteStore
    made: tuple[Path, ...] = ()  # the folders that were not there before, the innermost first

    @classmethod
    def open(cls, given: str | None, name: str, settings: dict[str, Any]) -> "Folder":
        """The folder asked for, or one named after the settings, so that the same command finds it again."""
        identity = sha256(json.dumps(settings, sort_keys=True, default=str).encode()).hexdigest()[:16]
        slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "run"
        path = Path(given) if given else Path("mlaudit-runs") / f"{slug}-{identity[:8]}"
        try:
            made = tuple(folder for folder in (path, *path.parents) if not folder.exists())
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"--out must be a folder that can be written to, got: {error}") from error
        _refuse_another(path / "result.json", identity)
        return cls(path, identity, SqliteStore(path / "draws.sqlite"), made)

    @classmethod
    @contextmanager
    def held(cls, given: str | None, name: str, settings: dict[str, Any]) -> Iterator["Folder"]:
        """The same folder while a run lasts; nothing of it is left where the run is refused before a training."""
        folder = cls.open(given, name, settings)
        try:
            yield folder
        except BaseException:
            folder.leave_nothing()
            raise

    def leave_nothing(self) -> None:
        """Remove the folder, if it was made for this run and holds no training."""
        if not self.made or not self.store.empty:
            return
        self.store.close()
        with suppress(OSError):  # somebody else's file is in it by now
            for file in self.path.glob("draws.sqlite*"):
                file.unlink()
            for folder in self.made:
                folder.rmdir()

    def keep(self, name: str, text: str) -> Path:
        """Write one more file beside the result."""
        path = self.path / name
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise Incomplete(f"{name} cannot be written: {error}; run the same command again") from error
        return path

    def save(self, result: AuditResult, command: str = "") -> list[Path]:
        """Write the result, the command that repeats it, and the figure; returns what was written."""
        written = [self.path / "result.json"]
        partial = self.path / "result.json.part"
        try:
            partial.write_text(dumps(result, self.identity, command), encoding="utf-8")
            partial.replace(written[0])
            with suppress(MissingExtra):  # the figure is a courtesy; `report` is an extra
                from mlaudit.report.plots import draw

                written.append(draw(result, self.path / "figure.svg"))
        except OSError as error:
            raise Incomplete(f"the result cannot be written: {error}; run the same command again") from error
        return written


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
