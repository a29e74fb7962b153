"""Read any output as numbers and a kind: the one rule for what a learner returns.

Numbers are read by `read_numbers`. Everything else is a kind: texts, None, enums, bytes and sets by their values, and
the shape of lists, mappings and tables around them. So an output with other keys, or with another category, is an
output of another kind. Entries of mappings are read in the order of their names.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.outputs import read_numbers
from mlaudit.types.unfold import is_table, unfold

NOTHING = "None"  # the kind of an output that is None
_LONGEST = 40  # characters of a text or of a list of keys; longer ones are told by their hash
_DEEPEST = 12
_ROOT = "output"


@dataclass(frozen=True, eq=False)
class Reading:
    """The numbers of an output, in one vector, and its kind; "" for an output of numbers alone."""

    numbers: FloatArray
    kind: str = ""


class Unreadable(Exception):
    """Some part of an output is neither numbers nor text, nor made of these."""


def read_output(output: object) -> Reading | None:
    """Read an output of any kind.

    Args:
        output: What a training returned.

    Returns:
        Its numbers and its kind; None if some part of it cannot be read.

    Example:
        >>> read_output({"b": 2.5, "a": [1, 2]}).numbers.tolist(), read_output({"b": 2.5}).kind
        ([1.0, 2.0, 2.5], 'keys b')
        >>> read_output("red").kind, read_output(None).kind, read_output({"winner": "x", "n": 3}).kind
        ("'red'", 'None', "keys n, winner; winner = 'x'")
        >>> read_output(object()) is None
        True
    """
    plain = None if is_table(output) else read_numbers(output)
    if plain is not None:
        return Reading(plain.ravel())
    numbers: list[FloatArray] = []
    said: list[str] = []
    try:
        for path, found in _walk(_ROOT, output, 0):
            if isinstance(found, str):
                name = path.removeprefix(_ROOT).removeprefix(".")
                said.append(f"{name} {found}".strip() if found.startswith(("keys ", "=")) or name else found)
            else:
                numbers.append(found.ravel())
    except Unreadable:
        return None
    return Reading(np.concatenate([*numbers, np.empty(0)]), _join(said))


def name_numbers(output: object) -> list[str]:
    """The path of each number of an output, in the order of `read_output`.

    >>> name_numbers({"mean": [0.5, 1.5], "count": 3})
    ['output.count', 'output.mean[0]', 'output.mean[1]']
    """
    names: list[str] = []
    try:
        for path, found in _walk(_ROOT, output, 0):
            if not isinstance(found, str):
                names += [path] if found.ndim == 0 else [f"{path}[{at}]" for at in range(found.size)]
    except Unreadable:
        return []
    return names


def _walk(path: str, value: Any, depth: int) -> Iterator[tuple[str, FloatArray | str]]:
    """Every part: numbers as arrays, all else as the text that goes into the kind."""
    if depth > _DEEPEST:
        raise Unreadable
    found = None if is_table(value) else read_numbers(value)
    if found is not None:
        yield path, found
    elif value is None or isinstance(value, str):
        yield path, f"{'= ' if path != _ROOT else ''}{_quote(value)}"
    elif isinstance(value, Mapping):
        named = sorted(((str(name), one) for name, one in value.items()), key=lambda entry: entry[0])
        yield path, f"keys {_shorten(', '.join(name for name, _ in named)) or 'none'}"
        for name, one in named:
            yield from _walk(f"{path}.{name}", one, depth + 1)
    elif isinstance(value, list | tuple | np.ndarray):
        yield from _walk_list(path, list(value), depth)
    else:
        inner = unfold(value)
        if inner is None:
            raise Unreadable
        yield from _walk(path, inner, depth + 1)


def _walk_list(path: str, values: list[Any], depth: int) -> Iterator[tuple[str, FloatArray | str]]:
    """The entries of a list; texts together, since a column of a table may have thousands."""
    if all(one is None or isinstance(one, str) for one in values):
        yield path, f"= [{_shorten(', '.join(map(_quote, values)))}]"
        return
    yield path, f"= {len(values)} entries"
    for at, one in enumerate(values):
        yield from _walk(f"{path}[{at}]", one, depth + 1)


def _quote(value: str | None) -> str:
    return NOTHING if value is None else _shorten(repr(str(value)))


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"#{sha256(text.encode()).hexdigest()[:12]}"


def _join(said: list[str]) -> str:
    """All of the kind, in one text of bounded length."""
    text = "; ".join(said)
    return text if len(text) <= 5 * _LONGEST else f"{said[0]}; #{sha256(text.encode()).hexdigest()[:12]}"
