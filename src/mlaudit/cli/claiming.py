"""Claiming a folder for one audit: if two commands want it at the same moment for different audits, one gets it."""

import errno
import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from mlaudit.errors import AuditError, Incomplete, InvalidInput

IDENTITY = "audit.json"
_TRIES, _PAUSE = 20, 0.05  # seconds
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK)
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True)
class Claimant:
    """An audit by its settings, and in a few words for people."""

    identity: str
    audit: str


def claim(folder: Path, who: Claimant) -> tuple[Path, ...]:
    """Make the folder this audit's own, before anything is drawn; returns what was made, the innermost first.

    Any number of commands of the same audit may share a folder.

    Raises:
        InvalidInput: If the folder holds another audit, or cannot be written to.
        Incomplete: If the disk is full.
    """
    for left in reversed(range(_TRIES)):
        made = make_folders(folder)
        try:
            return (folder / IDENTITY, *made) if _create_identity(folder, who) else ()
        except OSError as error:
            for path in made:
                with suppress(OSError):
                    path.rmdir()
            # A refused command may just have removed the folder that it had made: then it is made again.
            if not isinstance(error, FileNotFoundError) or not left:
                raise _refusal(folder, error) from error
            time.sleep(_PAUSE)
    raise AssertionError


def make_folders(folder: Path) -> tuple[Path, ...]:
    """Make a folder with those above it; returns the ones that were missing, the innermost first.

    Raises:
        InvalidInput: If the folder cannot be made.
        Incomplete: If the disk is full.
    """
    missing = tuple(path for path in (folder, *folder.parents) if not path.exists())
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refusal(folder, error) from error
    return missing


def _refusal(folder: Path, error: OSError) -> AuditError:
    if error.errno in _NO_ROOM:
        return Incomplete(f"{folder} must have room for more, got: {error}; free some space and run it again")
    return InvalidInput(f"--out must be a folder that can be written to, got: {error}")


def _create_identity(folder: Path, who: Claimant) -> bool:
    """Whether this command made the identity file; refused where the file is another audit's."""
    path = folder / IDENTITY
    if not path.exists():
        with suppress(FileExistsError):
            _create(path, json.dumps(asdict(who), ensure_ascii=False) + "\n")
            return True
    found = _read(path)
    if found.get("identity") != who.identity:
        raise InvalidInput(f"{folder} holds another audit ({found.get('audit')}); give another --out")
    return False


def _create(path: Path, text: str) -> None:
    """Exclusively, and with all of its content at once, so that nobody reads half of it."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.unlink(missing_ok=True)
    try:
        with part.open("x", encoding="utf-8") as file:
            file.write(text)
        os.link(part, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with path.open("x", encoding="utf-8") as file:  # a file system without hard links
            file.write(text)
    finally:
        part.unlink(missing_ok=True)


def _read(path: Path) -> dict[str, object]:
    """What the file says, once its writer has written it."""
    for left in reversed(range(_TRIES)):
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            if not left:
                raise InvalidInput(
                    f"{path} must name the audit of its folder, got: {error}; remove the file"
                ) from error
            time.sleep(_PAUSE)
        else:
            return found if isinstance(found, dict) else {}
    raise AssertionError
