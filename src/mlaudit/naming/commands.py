"""Commands in place of names: `cmd: node laplace.js` names a program that is run, not an object that is imported."""

import os
import shlex
import shutil
from hashlib import sha256
from pathlib import Path

from mlaudit.errors import InvalidInput

PREFIX = "cmd:"


def is_command(text: str) -> bool:
    """Whether a text names a program instead of an object.

    >>> is_command("cmd: node laplace.js"), is_command("my_file.py:learner")
    (True, False)
    """
    return text.startswith(PREFIX)


def read_command(text: str) -> tuple[str, ...]:
    """The words of a command, split as a shell would; no shell runs them.

    Args:
        text: The command, with or without `cmd:` before it.

    Returns:
        The program and its arguments.

    Raises:
        InvalidInput: If there are no words, a quotation mark is missing, or there is no such program.

    Example:
        >>> read_command("cmd: python 'my file.py' ; ls")
        ('python', 'my file.py', ';', 'ls')
    """
    typed = text.removeprefix(PREFIX).strip()
    try:
        words = tuple(shlex.split(typed))
    except ValueError as error:
        raise InvalidInput(f"a command must have matching quotation marks, got {typed!r}: {error}") from None
    if not words or not words[0]:
        raise InvalidInput(
            'cmd: must be followed by a program and its arguments, as in "cmd: node laplace.js", got none'
        )
    return words


def refuse_command(kind: str, text: str) -> None:
    """Raise if a command cannot stand for an object of that kind, or cannot be run; nothing is run.

    >>> refuse_command("attacks", "cmd: node attack.js")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: only a mechanism can be a command, got 'cmd: node attack.js' for an attack
    """
    if kind != "mechanisms":
        one = kind.removesuffix("s")
        article = "an" if one[0] in "aeiou" else "a"
        raise InvalidInput(f"only a mechanism can be a command, got {text!r} for {article} {one}")
    require_program(read_command(text))


def require_program(words: tuple[str, ...]) -> None:
    """Refuse a command whose program is neither a file that can be run nor on the PATH."""
    if shutil.which(words[0]) is None:
        raise InvalidInput(
            f"a command must start with a program that can be run, got {words[0]!r}; check its path and "
            "whether it is executable"
        )


def list_files(words: tuple[str, ...], folder: str | Path = ".") -> list[Path]:
    """The files that a command names by their paths: a script, or a program that is not found on the PATH.

    >>> list_files(("python", "no_such_file.py", "--fast"))
    []
    """
    paths = [Path(folder, word) for at, word in enumerate(words) if at or os.sep in word]
    return [path for path in paths if path.is_file()]


def hash_files(words: tuple[str, ...], folder: str | Path = ".") -> str:
    """A hash of the files that a command names; what those files import or load is not known."""
    h = sha256()
    for path in list_files(words, folder):
        h.update(sha256(path.read_bytes()).digest())
    return h.hexdigest()
