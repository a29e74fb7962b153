"""A decorator by which a library tells a trace where its noise is."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.tracing.followed import record_answer, release, strip
from mlaudit.tracing.laws import DECLARED, SYMMETRIC, Law
from mlaudit.tracing.recorder import FOLLOWING
from mlaudit.tracing.tape import Declared, NoiseEvent, Tape
from mlaudit.types.checks import choice, instance

_LAWS = (*SYMMETRIC, DECLARED)
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Setting = str | float | Callable[..., float] | None


def noisy(
    law: str,
    *,
    value: str | None = None,
    scale: Setting = None,
    epsilon: Setting = None,
    delta: Setting = None,
    sensitivity: Setting = None,
    name: str = "",
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Mark a function that adds noise, so that `mlaudit trace` can follow it. Without a trace it runs as usual.

    Each setting is the name of a parameter of the function, a number, or a function that takes all arguments by name.

    Args:
        law: "laplace", "normal", "logistic" or "two-sided geometric"; "declared" for any other law, whose loss is
            then ε for each sensitivity that the value moves by.
        value: The parameter that holds the value before the noise. None: the function returns noise around 0.
        scale: The scale of the noise; the standard deviation of "normal". Not needed for "declared".
        epsilon: The ε that the function states for one call.
        delta: The δ that it states.
        sensitivity: The sensitivity that it states. A value that moves by more is suspected.
        name: The name in the trace. Default: that of the function.

    Returns:
        A decorator.

    Raises:
        InvalidInput: If the law is not known, the scale or the ε is missing, or a name is no parameter.

    Example:
        >>> @noisy("laplace", value="count", scale=lambda epsilon, **rest: 1 / epsilon, epsilon="epsilon")
        ... def release(count, epsilon, rng):
        ...     return count + rng.laplace(scale=1 / epsilon)
        >>> from mlaudit import Claim, Dataset, Pair
        >>> from mlaudit.tracing.run import trace
        >>> pair = Pair(Dataset([0.0, 0.0]), Dataset([0.0, 1.0]))
        >>> trace(lambda data, rng: release(data.X.sum(), 0.5, rng), pair=pair, claim=Claim(1.0)).budget
        0.5
    """
    choice("law", law, _LAWS)
    if (epsilon if law == DECLARED else scale) is None:
        wanted = "epsilon" if law == DECLARED else "scale"
        raise InvalidInput(f"noise of the law {law!r} needs {wanted}, got none; give {wanted}=...")
    settings = {"scale": scale, "epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}

    def mark(own: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        signature = inspect.signature(own)
        asked = [one for one in (value, *settings.values()) if isinstance(one, str)]
        for missing in (one for one in asked if one not in signature.parameters):
            raise InvalidInput(
                f"{own.__name__} must have a parameter {missing!r}, got {', '.join(signature.parameters)}"
            )

        @wraps(own)
        def call(*args: Parameters.args, **named: Parameters.kwargs) -> Result:
            recorder = FOLLOWING.get()
            tape = None if recorder is None else recorder.active
            if recorder is None or tape is None:
                return own(*args, **named)
            bound = signature.bind(*args, **named)
            bound.apply_defaults()
            release(list(bound.arguments.values()))
            given = {key: strip(one) for key, one in bound.arguments.items()}
            stated = {key: _read(setting, given) for key, setting in settings.items()}
            with recorder.pause():
                answer = own(*args, **named)
            declared = Declared(name or own.__name__, stated["epsilon"], stated["delta"], stated["sensitivity"])
            answered: Result = _record(tape, law, stated["scale"], given.get(value or ""), answer, declared)
            return answered

        return call

    return mark


def _read(setting: Setting, given: dict[str, Any]) -> float | None:
    found = given[setting] if isinstance(setting, str) else setting(**given) if callable(setting) else setting
    if found is not None:
        instance("a setting of noise", found, (int, float, np.number))
    return None if found is None else float(found)


def _record(tape: Tape, law: str, scale: float | None, value: Any, answer: Any, declared: Declared) -> Any:
    """Noise around 0 comes back as an array that remembers it; an answer as it is."""
    noise = Law(law, np.asarray(1.0 if scale is None else scale))
    if value is None:
        return record_answer(tape, noise, 0.0, answer, pure=True)
    exact = np.asarray(value, dtype=float)
    ids = tape.new_ids(() if law == DECLARED else exact.shape)
    spread = noise if law == DECLARED else noise.spread(exact.shape)
    return tape.record(NoiseEvent(spread, exact, answer, ids, pure=False, site=tape.locate(), declared=declared))
