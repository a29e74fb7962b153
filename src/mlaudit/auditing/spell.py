"""A spec as the command that repeats it, and as the plain data that its identity is made of."""

import json
import shlex
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, asdict, is_dataclass
from hashlib import sha256
from typing import Any

from mlaudit.auditing.options import default_of, options_of
from mlaudit.errors import InvalidInput


def spell_command(command: str, spec: Any) -> str:
    """The command and every option that is not at its default, quoted for a shell.

    Args:
        command: The word after `mlaudit`.
        spec: A dataclass of options.

    Returns:
        A line that can be pasted into a shell.

    Example:
        >>> from mlaudit.auditing.spec import AuditSpec
        >>> spell_command("run", AuditSpec("my file.py:f", epsilon=2.0, bounds=(-1.0, 1.0), param={"C": 10}))
        "mlaudit run 'my file.py:f' --epsilon 2 --param C=10 --bounds=-1,1"
    """
    given = [(one.name, getattr(spec, one.name), default_of(one)) for one, _ in options_of(spec)]
    first = [spell_value(value) for _, value, usual in given if usual is MISSING]
    others = [word for name, value, usual in given if usual is not MISSING for word in _words(name, value, usual)]
    return shlex.join(["mlaudit", command, *first, *others])


def _words(name: str, value: Any, usual: Any) -> Iterator[str]:
    if value == usual or value is None:
        return
    typed = option_name(name)
    if isinstance(value, bool):
        yield typed
    elif isinstance(value, Mapping):
        for word in spell_table(value):
            yield from (typed, word)
    else:
        text = spell_value(value)
        yield from [f"{typed}={text}"] if text.startswith("-") else (typed, text)


def option_name(name: str) -> str:
    """What a field is called on the command line.

    >>> option_name("max_rows")
    '--max-rows'
    """
    return f"--{name.replace('_', '-')}"


def spell_value(value: Any) -> str:
    """A value as short as it can be read back.

    >>> spell_value(2.0), spell_value((1, 2)), spell_value("auto")
    ('2', '1,2', 'auto')
    """
    if isinstance(value, tuple):
        return ",".join(map(spell_value, value))
    return f"{value:.17g}" if isinstance(value, float) and value.is_integer() else str(value)


def spell_table(table: Mapping[str, Any]) -> list[str]:
    """A table as it is typed, an entry a word; `read_table` reads it back.

    >>> spell_table({"C": 10, "solver": "lbfgs", "name": "10"})
    ['C=10', 'solver=lbfgs', "name='10'"]
    """
    return [f"{name}={value if read_literal(str(value)) == value else repr(value)}" for name, value in table.items()]


def read_table(words: Iterable[str], label: str) -> dict[str, Any]:
    """What was typed as name=value, by name.

    >>> read_table(["C=10", "solver=lbfgs", "name='10'"], "--param")
    {'C': 10, 'solver': 'lbfgs', 'name': '10'}
    """
    table = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise InvalidInput(f"{label} must look like name=value, got {word!r}")
        table[name] = read_literal(text)
    return table


def read_literal(text: str) -> Any:
    """A literal of Python, or else the text itself."""
    try:
        return literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


def identify(*parts: Any) -> str:
    """A hash of specs, with their defaults filled in, and of other plain data.

    >>> from mlaudit.auditing.spec import AuditSpec
    >>> identify(AuditSpec("laplace")) == identify(AuditSpec("laplace", trainings=4000))
    True
    """
    return sha256(json.dumps(parts, sort_keys=True, default=_as_table).encode()).hexdigest()


def _as_table(spec: Any) -> dict[str, Any]:
    """A spec as plain data, without the later options that are at their defaults."""
    known = options_of(spec) if is_dataclass(spec) else []
    unused = {one.name for one, about in known if about.later and getattr(spec, one.name) == default_of(one)}
    return {name: value for name, value in asdict(spec).items() if name not in unused}
