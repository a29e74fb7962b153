"""Writing files into a folder that may be a stranger's: whole or not at all, and never through a link."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Put a file in place at once; a link of that name is replaced, not followed.

    Args:
        path: Where the file goes; its folder must be there.
        content: What it holds; text is written as UTF-8.

    Raises:
        OSError: If the folder cannot be written to. Nothing is left behind.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)  # exclusively made, a name nobody knows
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
        mask = os.umask(0o077)  # it can only be read by setting it
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
