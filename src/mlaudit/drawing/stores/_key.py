"""The key of this account: it seals stores, and a stranger does not have it."""

import os
import secrets
import warnings
from functools import cache
from hashlib import sha256
from pathlib import Path

from mlaudit.errors import StoreError

_FEWEST = 32  # bytes in the file


def key_file() -> Path:
    """Where the key is kept: the file that MLAUDIT_KEY names, or mlaudit/key in the user's state folder."""
    given, state = os.environ.get("MLAUDIT_KEY"), os.environ.get("XDG_STATE_HOME")
    if given:
        return Path(given)
    return (Path(state) if state else _home() / ".local" / "state") / "mlaudit" / "key"


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError:  # an account without a home folder, as in some containers
        return Path("/nonexistent")


def user_key() -> bytes:
    """The key of this account; it is created if there is none."""
    return _key_at(key_file())


@cache  # where no key can be kept, one process still has only one
def _key_at(path: Path) -> bytes:
    try:
        return _read(path)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(
            f"{path} must be a readable file, got: {error}; fix its permissions, or let MLAUDIT_KEY name another file"
        ) from error
    made = secrets.token_hex(32).encode()
    try:
        _keep(path, made)
        return _read(path)  # another process may have been first
    except OSError as error:
        warnings.warn(
            f"{path} cannot be written ({error}), so that these draws cannot be continued by another command; "
            "let MLAUDIT_KEY name a file that can be written",
            stacklevel=2,
        )
        return sha256(made).digest()


def _read(path: Path) -> bytes:
    content = path.read_bytes().strip()
    if len(content) < _FEWEST:
        raise StoreError(
            f"{path} must hold a key of at least {_FEWEST} bytes, got {len(content)}; remove it to have one made"
        )
    return sha256(content).digest()


def _keep(path: Path, content: bytes) -> None:
    """Write the key as a whole, readable by this user only, and never over an existing key."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content + b"\n")
    try:
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        if not path.exists():
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
