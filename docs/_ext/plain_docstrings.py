"""Docstrings as this package writes them: plain text in Google's sections, errors by their short names."""

import re
from typing import Any

_CODE = re.compile(r"(`[^`]*`)")


def escape_markup(line: str) -> str:
    r"""A line of a docstring with every * and | outside `code` as itself.

    >>> escape_markup("the row x* of `2 * n`")
    'the row x\\* of `2 * n`'
    """
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = _CODE.split(line)
    parts[::2] = [re.sub(r"([*|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def _find_error(app: Any, env: Any, node: Any, content: Any) -> Any:
    """`InvalidInput` in a section Raises is mlaudit.errors.InvalidInput."""
    if node.get("reftype") != "exc" or "." in node["reftarget"]:
        return None
    target = f"mlaudit.errors.{node['reftarget']}"
    return env.get_domain("py").resolve_xref(env, node["refdoc"], app.builder, "exc", target, node, content)


def _escape_lines(app: Any, what: str, name: str, value: object, options: Any, lines: list[str]) -> None:
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", " – ", 1)  # napoleon would take the words before a colon for a type
    in_example = False
    for place, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example:
            lines[place] = escape_markup(line)


def setup(app: Any) -> dict[str, bool]:
    """Before napoleon reads the sections."""
    app.connect("autodoc-process-docstring", _escape_lines, priority=100)
    app.connect("missing-reference", _find_error)
    return {"parallel_read_safe": True}
