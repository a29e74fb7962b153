"""Files for users to copy: each serves learners of one language to mlaudit, and needs nothing but that language."""

from pathlib import Path

from mlaudit.errors import UnknownName

HELPERS = {"python": "mlaudit_serve.py", "javascript": "mlaudit_serve.js"}


def find_helper(language: str) -> Path:
    """The file that serves learners of a language.

    Args:
        language: A name of `mlaudit helper --help`.

    Returns:
        Its path in the installed package.

    Raises:
        UnknownName: If there is no helper for that language.

    Example:
        >>> find_helper("python").name
        'mlaudit_serve.py'
    """
    if language not in HELPERS:
        raise UnknownName("helper", language, HELPERS)
    return Path(__file__).parent / HELPERS[language]
