"""The objects behind a result file, rebuilt from their descriptions; only what mlaudit ships is imported."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, cast

from mlaudit.adapters.at_target import AtTarget
from mlaudit.errors import InvalidInput
from mlaudit.plugins import load_shipped, shipped
from mlaudit.protocols import Interval, Mechanism, Procedure
from mlaudit.types.claim import Relation


def the_procedure(description: Mapping[str, Any], interval: Interval | None = None) -> Procedure:
    """The procedure a result was made with; its classifiers are left out, since a replay learns nothing."""
    parts = {k: v for k, v in description.items() if k != "classifiers" and (k != "interval" or interval is None)}
    built = _rebuild("procedures", parts)
    if interval is not None and not hasattr(built, "interval"):
        raise InvalidInput(f"{description.get('type')} uses no interval, got one; leave --interval out")
    return cast(Procedure, built if interval is None else replace(built, interval=interval))


def the_mechanism(description: Mapping[str, Any]) -> Mechanism:
    """A mechanism that mlaudit ships, by the description in a result; also one seen through its prediction."""
    inner = description.get("mechanism")
    if description.get("type") == AtTarget.__name__ and isinstance(inner, Mapping):
        return AtTarget(the_mechanism(inner))
    return cast(Mechanism, _rebuild("mechanisms", description))


def _rebuild(kind: str, description: Mapping[str, Any]) -> Any:
    wanted = str(description.get("type", ""))
    if description.get("outside") or wanted not in shipped(kind):
        raise InvalidInput(
            f"the result is about code outside mlaudit ({wanted or 'unknown'}); name it yourself, as in "
            f"--{kind.removesuffix('s')} my_file.py:object"
        )
    cls = load_shipped(kind, wanted)
    known = {f.name for f in fields(cls)}
    try:
        return cls(**{k: _value(k, v) for k, v in description.items() if k in known})
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"the result's {wanted} cannot be rebuilt, got: {error}; rerun the audit") from error


def _value(name: str, value: Any) -> Any:
    if name == "relation":
        return Relation(value)
    if name == "interval":
        return _rebuild("intervals", value)
    return tuple(value) if isinstance(value, list) else value
