"""Docstrings are plain text: a lone * or | in them is a character, and no markup."""

import re
from typing import Any

_CODE = re.compile(r"(`[^`]*`)")


def escape_markup(line: str) -> str:
    """A line of a docstring with every * and | outside `code` as itself.

    >>> escape_markup("the row x* of `2 * n`")
    'the row x\\\\* of `2 * n`'
    """
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = _CODE.split(line)
    parts[::2] = [re.sub(r"([*|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _escape_lines(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    in_example = False
    for place, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[place] = escape_markup(line)


def setup(app: Any) -> dict[str, bool]:
    """Before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", _escape_lines, priority=100)
    return {"parallel_read_safe": True}
