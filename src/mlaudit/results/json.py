"""Results as JSON text and back: a flat summary for programs, and under "replay" every value, exactly."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from mlaudit.errors import InvalidInput
from mlaudit.naming.codec import decode, encode
from mlaudit.types.checks import mapping, quote, several, text

SCHEMA_VERSION = 2
_READ = (1, SCHEMA_VERSION)  # version 1 has other words for verdicts
_VALUES = "replay"
Value = TypeVar("Value")


def write_result(result: object, summary: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> str:
    """The JSON text of a result.

    Args:
        result: A frozen dataclass of values.
        summary: The result as one flat object.
        more: Further entries, such as the command that repeats the result.

    Returns:
        The summary, the further entries, and the values themselves.

    Raises:
        InvalidInput: If `more` is no dictionary, has an entry of the result's own, or cannot be written as JSON.
    """
    further = {} if more is None else mapping("more", more)
    taken = sorted(set(further) & {*summary, _VALUES}, key=str)
    if taken:
        raise InvalidInput(f"more must leave the result's own entries alone, got {taken[0]!r}; choose another name")
    whole = {**summary, **further, _VALUES: encode(result)}
    try:
        return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"more must be entries that JSON can hold, got: {error}") from error


def read_result(kind: type[Value], content: str, source: str, trusted: tuple[type, ...] = ()) -> Value:
    """The result of that kind behind JSON text; nothing in the text is executed.

    >>> read_result(dict, "{}", "the result")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: the result must be a result file of mlaudit, got no result in it
    """
    for one in several("trusted", trusted, "classes"):
        if not isinstance(one, type):
            raise InvalidInput(f"trusted must be a list or a tuple of classes, got {quote(one)} in it")
    whole = read_object(text("text", content), text("source", source))
    if _VALUES not in whole:
        raise InvalidInput(f"{source} must be a result file of mlaudit, got no result in it")
    if whole.get("schema_version") not in _READ:
        given, known = whole.get("schema_version"), " or ".join(map(str, _READ))
        raise InvalidInput(f"{source} must have schema version {known}, got {given!r}; rerun the audit")
    try:
        result = decode(whole[_VALUES], tuple(trusted))
    except InvalidInput as error:
        raise InvalidInput(f"{source} must be a whole result file, got damaged values: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"{source} must be a whole result file, got damaged values: {error}") from error
    if not isinstance(result, kind):
        raise InvalidInput(f"{source} must hold a result of kind {kind.__name__}, got {type(result).__name__}")
    return result


def read_object(content: str, source: str) -> dict[str, Any]:
    """A JSON object.

    >>> read_object("[1]", "result.json")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: result.json must be a result file of mlaudit, got a JSON list
    """
    try:
        whole = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} must be a JSON file, got: {error}") from error
    if not isinstance(whole, dict):
        raise InvalidInput(f"{source} must be a result file of mlaudit, got a JSON {type(whole).__name__}")
    return whole


def read_text(path: Path) -> str:
    """The text of a result file, or a sentence on why it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} must be a readable result file, got: {error}") from error
