"""Options as fields of a frozen dataclass: how an option is declared and read.

One class serves the command line, sweep files, the identity of a result and the command that repeats it. None of
these keeps a list of options of its own: each goes through the fields of the class. Nothing heavy is imported here,
because a usage error must be answered at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.naming.plugins import check_name
from mlaudit.types.checks import quote

Spec = TypeVar("Spec")

_WANTED: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    tuple: "at least one name, as in a,b",
    Mapping: "a table",
}


@dataclass(frozen=True)
class Option:
    """What is known of an option besides its name, type and default.

    Args:
        help: One line for `--help`.
        metavar: What the value is called there.
        group: The heading that the option stands under.
        wanted: What a value must be; the sentence about a bad value quotes it.
        plugin: The kind of plug-in that a value names. Other names are refused.
        words: Values that are allowed besides the names of plug-ins; without `plugin`, all allowed values.
        is_free: Whether a value is no name at all, as that of a file.
        later: Whether the option is newer than stored identities. Identities leave it out where it is not given, so
            that older folders are found again.
    """

    help: str
    metavar: str = ""
    group: str = ""
    wanted: str = ""
    plugin: str = ""
    words: tuple[str, ...] = ()
    is_free: Callable[[str], bool] | None = None
    later: bool = False

    def check_name(self, option: str, name: str) -> None:
        """Refuse a name that nothing has, without importing anything."""
        if name in self.words or (self.is_free is not None and self.is_free(name)):
            return
        if self.plugin:
            check_name(self.plugin, name)
        elif self.words:
            raise UnknownName(option, name, self.words)


def option(default: Any, help: str, metavar: str = "", **more: Any) -> Any:  # noqa: A002 - as argparse calls it
    """Declare an option with a default.

    Args:
        default: The value where none is given.
        help: One line for `--help`.
        metavar: What the value is called there.
        **more: Other fields of `Option`.

    Returns:
        A dataclass field.

    Example:
        >>> @dataclass(frozen=True)
        ... class Walk:
        ...     goal: str = argument("where to")
        ...     steps: int = option(10, "how many", "N")
        >>> read_options(Walk, {"goal": "home", "steps": "12"})
        Walk(goal='home', steps=12)
    """
    metadata = {"option": Option(help, metavar, **more)}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def argument(help: str, metavar: str = "", **more: Any) -> Any:  # noqa: A002 - as argparse calls it
    """Declare an option that must be given, and that is typed without its name; the arguments are as in `option`."""
    return field(metadata={"option": Option(help, metavar, **more)})


def flag(help: str, **more: Any) -> Any:  # noqa: A002 - as argparse calls it
    """Declare an option that is off unless it is given; the arguments are as in `option`."""
    return option(default=False, help=help, **more)


def inherit(spec: type, name: str, default: Any = MISSING, help: str = "") -> Any:  # noqa: A002 - as argparse calls it
    """Declare the option that another spec has, perhaps with another default or another line of help.

    Args:
        spec: The class that has the option.
        name: The option.
        default: Its default here; the other spec's where none is given.
        help: Its line for `--help` here.

    Returns:
        A dataclass field.
    """
    [(one, known)] = [(one, known) for one, known in options_of(spec) if one.name == name]
    about = vars(known) | ({"help": help} if help else {})
    return option(default_of(one) if default is MISSING else default, **about)


def options_of(spec: Any) -> "list[tuple[Field[Any], Option]]":
    """Every field of a spec, or of its class, with its option."""
    return [(one, cast(Option, one.metadata["option"])) for one in fields(spec)]


def default_of(one: "Field[Any]") -> Any:
    """The value of an option that is not given; MISSING for one that must be given."""
    return one.default if one.default_factory is MISSING else one.default_factory()


def types_of(spec: Any) -> Mapping[str, Any]:
    """The type of each option, without the None of those that have no default value.

    >>> @dataclass(frozen=True)
    ... class Walk:
    ...     steps: int | None = option(None, "how many")
    >>> types_of(Walk)
    {'steps': <class 'int'>}
    """
    return _read_hints(spec)


@cache  # a sweep has many cells of the same spec
def _read_hints(spec: type) -> dict[str, Any]:
    types = get_type_hints(spec)
    for name, hint in types.items():
        if get_origin(hint) in (Union, UnionType):
            types[name] = next(inner for inner in get_args(hint) if inner is not type(None))
    return types


def read_options(spec: type[Spec], given: Mapping[str, Any], label: Callable[[str], str] = str) -> Spec:
    """A spec from values as they are typed, or as they stand in a TOML file.

    Args:
        spec: A dataclass of options.
        given: Values by name. Options that are not in it keep their defaults.
        label: What an option is called in a sentence about a bad value.

    Returns:
        The spec. Each value has the type of its field.

    Raises:
        InvalidInput: If a value has another type, or names a plug-in that there is not.
    """
    types, values = types_of(spec), {}
    for one, known in options_of(spec):
        if one.name not in given and default_of(one) is MISSING:
            raise InvalidInput(f"{label(one.name)} must be given, got none")
        if one.name in given:
            value = _read(types[one.name], given[one.name], label(one.name), known.wanted)
            for name in value if isinstance(value, tuple) else (value,):
                if isinstance(name, str):
                    known.check_name(one.name, name)
            values[one.name] = value
    return spec(**values)


def _read(hint: Any, value: Any, label: str, wanted: str) -> Any:
    shape = get_origin(hint) or hint
    try:
        return _read_several(get_args(hint), value) if shape is tuple else _read_one(shape, value)
    except (ValueError, TypeError, OverflowError):
        raise InvalidInput(f"{label} must be {wanted or _WANTED[shape]}, got {quote(value)}") from None


def _read_several(kinds: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """The entries of a list, or of text with commas between them."""
    parts = [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    entries = parts if isinstance(parts, list | tuple) else [parts]
    if not entries or len(entries) != (len(entries) if kinds[-1] is Ellipsis else len(kinds)):
        raise ValueError(value)
    return tuple(_read_one(kinds[0], entry) for entry in entries)


def _read_one(kind: Any, value: Any) -> Any:
    """A value of that kind; text is read as a number where a number is wanted."""
    if kind is Mapping and isinstance(value, Mapping) and all(map(_is_plain, value.values())):
        return dict(value)
    if kind in (int, float) and isinstance(value, str):
        return kind(value)
    if isinstance(value, bool) != (kind is bool):
        raise TypeError(value)
    if kind is float and isinstance(value, int):
        return float(value)
    if kind is Mapping or not isinstance(value, kind):
        raise TypeError(value)
    return value


def _is_plain(value: Any) -> bool:
    """Whether a parameter can be written in a command: TOML has dates, too."""
    if isinstance(value, Mapping):
        return all(map(_is_plain, value.values()))
    return all(map(_is_plain, value)) if isinstance(value, list) else isinstance(value, str | int | float)
