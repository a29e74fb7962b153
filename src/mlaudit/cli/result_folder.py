"""A folder that holds the result of one audit: whose it is, and the files in it."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from mlaudit.canaries.result import CanaryResult
from mlaudit.cli.claiming import Claimant, claim
from mlaudit.cli.writing import write_whole
from mlaudit.errors import Incomplete, InvalidInput
from mlaudit.naming.source import locate
from mlaudit.refuting.result import ClaimTest
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.json import read_object
from mlaudit.scanning.result import ScanResult

RESULT = "result.json"


@dataclass(frozen=True)
class ResultFolder:
    """Where an audit leaves its result; as a context manager it removes what it made if the audit is refused."""

    path: Path
    identity: str
    made: tuple[Path, ...] = ()  # what was not there before, the innermost first

    @classmethod
    def open(cls, given: str | None, name: str, identity: str, shown: str) -> "ResultFolder":
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
        _refuse_another(path / RESULT, identity)
        return cls(path, identity, claim(path, Claimant(identity, shown)))

    def __enter__(self) -> "ResultFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            remove_made(self.made)

    def keep(self, name: str, content: str | bytes) -> Path:
        """Write one file."""
        path = self.path / name
        try:
            write_whole(path, content)
        except OSError as error:
            what = "the result" if name == RESULT else name
            raise Incomplete(f"{what} cannot be written: {error}; run the same command again") from error
        return path

    def save(self, result: AuditResult | CanaryResult | ClaimTest | ScanResult, told: Mapping[str, Any]) -> Path:
        """Write the result, and beside it what is told of it, such as the command that repeats it."""
        return self.keep(RESULT, result.to_json({"identity": self.identity, **told}))


def tell_origin(command: str, mechanism: object) -> dict[str, Any]:
    """What a result file says of its own making: the command that repeats it, and where the mechanism is defined."""
    found = locate(mechanism)
    return {"command": command, "locations": [] if found is None else [found.as_data()]}


def remove_made(made: tuple[Path, ...]) -> None:
    """Remove files and then folders that a command made; a folder that holds anything else stays."""
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
        about = found.get("mechanism", found.get("trainer"))
        raise InvalidInput(
            f"{path.parent} holds the result of another audit ({about}, seed {found.get('seed')}); give another --out"
        )
