"""The objects behind a result file, rebuilt from their descriptions; only what mlaudit ships is imported."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, cast

from mlaudit.adapters.prediction_at import DESCRIBED_AS, PredictionAt
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load_shipped, shipped
from mlaudit.protocols import Interval, Mechanism, Procedure
from mlaudit.types.claim import Relation


def rebuild_procedure(description: Mapping[str, Any], interval: Interval | None = None) -> Procedure:
    """The procedure a result was made with; its classifiers are left out, since a replay learns nothing."""
    parts = {k: v for k, v in description.items() if k != "classifiers" and (k != "interval" or interval is None)}
    built = _rebuild("procedures", parts)
    if interval is not None and not hasattr(built, "interval"):
        raise InvalidInput(f"{description.get('type')} uses no interval, got one; leave --interval out")
    return cast(Procedure, built if interval is None else replace(built, interval=interval))


def rebuild_mechanism(description: Mapping[str, Any]) -> Mechanism:
    """A mechanism that mlaudit ships, by the description in a result; also one seen through its prediction."""
    inner = description.get("mechanism")
    if description.get("type") == DESCRIBED_AS and isinstance(inner, Mapping):
        return PredictionAt(rebuild_mechanism(inner))
    return cast(Mechanism, _rebuild("mechanisms", description))


def _rebuild(kind: str, description: Mapping[str, Any]) -> Any:
    wanted, one = str(description.get("type", "")), kind.removesuffix("s")
    if description.get("outside") or wanted not in shipped(kind):
        raise InvalidInput(
            f"a result rebuilds only what mlaudit ships, got the {one} {wanted or 'without a name'!r} from outside "
            f"mlaudit; give it yourself, as in --{one} my_file.py:object, or in Python as an argument"
        )
    cls = load_shipped(kind, wanted)
    known = {f.name for f in fields(cls)}
    try:
        return cls(**{k: _value(k, v) for k, v in description.items() if k in known})
    except InvalidInput:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise InvalidInput(f"the result's {wanted} cannot be rebuilt, got: {error}; rerun the audit") from error


def _value(name: str, value: Any) -> Any:
    if name == "relation":
        return Relation(value)
    if name == "interval":
        return _rebuild("intervals", value)
    return tuple(value) if isinstance(value, list) else value
