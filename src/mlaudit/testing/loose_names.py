"""Attributes of a part that look like an optional trait or method, but that nothing reads."""

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Any

from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.errors import InvalidInput
from mlaudit.types.traits import Traits

_ORDINARY = {"name", "labels", "batch", "version"}  # words that mechanisms use for their own purposes
_TRAITS = sorted({f.name for f in fields(Traits)} - _ORDINARY)
_CLOSE = 0.8


def describe_loose_traits(mechanism: object) -> str:
    """What is wrong with how a mechanism declares its traits; "" if nothing is.

    A parameter of the mechanism is its own, whatever its name. Any other public attribute is refused if its name is
    that of a trait, or close to it, and its value would do for the trait.

    >>> class NoisyMeans:
    ...     libary = "diffprivlib"
    ...     epsilon = 1.0
    >>> describe_loose_traits(NoisyMeans())
    "NoisyMeans has an attribute 'libary'; did you mean Traits(library=...)?"
    """
    owner = mechanism.learner if isinstance(mechanism, FittedMechanism) else mechanism
    kind = type(owner).__name__
    if is_dataclass(owner) and "traits" in {f.name for f in fields(owner)}:
        return f"traits of {kind} must not be a field, from which seeds are derived; write it without annotation"
    return "; ".join(f"{kind} has {sentence}" for sentence in _describe_attributes(owner))


def describe_loose_methods(part: object, *optional: type) -> str:
    """Which methods of a part look like a misspelt optional method; "" if none does.

    A method is refused if its name is close to that of an optional method, and it takes as many arguments.

    Args:
        part: An attack, a procedure or a mechanism.
        *optional: Protocols that the part may keep, with one method or property each.

    Returns:
        One sentence for each such method.

    Example:
        >>> from mlaudit.protocols import Observes
        >>> class Attack:
        ...     def observes(self, mechanism): return mechanism
        >>> describe_loose_methods(Attack(), Observes)
        "Attack has a method 'observes'; did you mean observe?"
    """
    known = {name: value for kind in optional for name, value in vars(kind).items() if inspect.isfunction(value)}
    known = {name: value for name, value in known.items() if not name.startswith("_")}
    said = []
    for name in sorted(set(_own_names(part)) - set(known)):
        own = inspect.getattr_static(type(part), name, None)
        close = get_close_matches(name, known, n=1, cutoff=_CLOSE) if inspect.isfunction(own) else []
        if close and _count_parameters(own) == _count_parameters(known[close[0]]):
            said.append(f"{type(part).__name__} has a method {name!r}; did you mean {close[0]}?")
    return "; ".join(said)


def _count_parameters(function: Any) -> int:
    return len(inspect.signature(function).parameters)


def _describe_attributes(owner: Any) -> Iterator[str]:
    for name in _own_names(owner):
        close = get_close_matches(name, _TRAITS, n=1, cutoff=_CLOSE)
        if close and _would_do(close[0], getattr(owner, name)):
            yield f"an attribute {name!r}; did you mean Traits({close[0]}=...)?"
        elif isinstance(inspect.getattr_static(owner, name), Traits) and name != "traits":
            yield f"its traits in an attribute {name!r}; did you mean traits = Traits(...)?"


def _own_names(owner: Any) -> list[str]:
    """Public attributes that are no parameters; names that end in _ are what a fit leaves behind."""
    kinds = [kind for kind in type(owner).__mro__ if kind is not object]
    found = {name for part in (*kinds, owner) for name in getattr(part, "__dict__", {})}
    return sorted(name for name in found - _parameters(owner) if not name.startswith("_") and not name.endswith("_"))


def _parameters(owner: Any) -> set[str]:
    try:
        return set(inspect.signature(type(owner)).parameters)
    except (TypeError, ValueError):  # a class of C code
        return set()


def _would_do(trait: str, value: Any) -> bool:
    try:
        Traits(**{trait: value})
        return trait != "flag" or len(inspect.signature(value).parameters) == 1
    except (InvalidInput, TypeError, ValueError):
        return False
