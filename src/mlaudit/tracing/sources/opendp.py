"""OpenDP: the invocation of a measurement, also through a queryable, and so its context API.

The value before the noise is the argument. OpenDP's own privacy map says what the distance of two arguments costs:
the map is taken at its word, and the distance is measured here.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, wraps
from math import inf
from types import GenericAlias
from typing import Any

import numpy as np

from mlaudit.tracing.call_loss import CallLoss
from mlaudit.tracing.conversions import FollowedFloat, FollowedInt
from mlaudit.tracing.followed import release, strip
from mlaudit.tracing.laws import MAPPED, Law
from mlaudit.tracing.recorder import Patch, Recorder
from mlaudit.tracing.tape import Declared, NoiseEvent, Tape

_HELD = "_mlaudit_value"  # what a queryable answers questions about


def patches(recorder: Recorder) -> Iterator[Patch]:
    """Followed measurements and queryables, if OpenDP is loaded."""
    loaded: Any = sys.modules.get("opendp.mod")
    if loaded is None:
        return
    measurement, queryable = loaded.Measurement, loaded.Queryable
    for name in ("__call__", "invoke"):
        yield measurement, name, _follow_measurement(vars(measurement)[name], queryable, recorder)
    for name in ("__call__", "eval"):
        if name in vars(queryable):
            yield queryable, name, _follow_query(vars(queryable)[name], measurement, recorder)
    types: Any = sys.modules["opendp.typing"].RuntimeType
    yield types, "parse", classmethod(_read_types(vars(types)["parse"].__func__))


def _read_types(own: Callable[..., Any]) -> Callable[..., Any]:
    """OpenDP asks for types by name; a learner's `float` and `int` have stand-ins while it is followed."""

    @wraps(own)
    def parse(cls: type, type_name: Any, *args: Any, **named: Any) -> Any:
        return own(cls, _usual_type(type_name), *args, **named)

    return parse


def _usual_type(kind: Any) -> Any:
    if isinstance(kind, GenericAlias):
        whole: Any = kind.__origin__
        return GenericAlias(whole, tuple(map(_usual_type, kind.__args__)))
    return float if kind is FollowedFloat else int if kind is FollowedInt else kind


def _follow_measurement(own: Callable[..., Any], queryable: type, recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def invoke(self: Any, arg: Any) -> Any:
        tape = recorder.active
        release(arg)
        arg = strip(arg)
        with recorder.pause():
            answer = own(self, arg)
        if tape is None:
            return answer
        if isinstance(answer, queryable):
            setattr(answer, _HELD, arg)
            return answer
        return _record(tape, self, arg, answer)

    return invoke


def _follow_query(own: Callable[..., Any], measurement: type, recorder: Recorder) -> Callable[..., Any]:
    @wraps(own)
    def ask(self: Any, query: Any) -> Any:
        tape = recorder.active
        with recorder.pause():
            answer = own(self, query)
        if tape is None:
            return answer
        held = getattr(self, _HELD, None)
        if held is None or not isinstance(query, measurement):
            tape.skip("a query of OpenDP that is no measurement")
            return answer
        if isinstance(answer, type(self)):
            setattr(answer, _HELD, held)
            return answer
        return _record(tape, query, held, answer)

    return ask


def _record(tape: Tape, measurement: Any, arg: Any, answer: Any) -> Any:
    metric = str(measurement.input_metric)
    distance = next((found for name, found in _DISTANCES.items() if metric.startswith(name)), None)
    if distance is None:
        tape.skip(f"a measurement of OpenDP on the metric {metric}")
        return answer
    cost = partial(_cost, measurement, str(measurement.output_measure), distance)
    event = NoiseEvent(
        Law(MAPPED, np.ones(1)),
        np.zeros(1),
        answer,
        tape.new_ids((1,)),
        pure=False,
        site=tape.locate(),
        declared=_declare(measurement, metric),
        value=arg,
        cost=cost,
    )
    return tape.record(event)


def _declare(measurement: Any, metric: str) -> Declared:
    """What a measurement states for one step of its metric, if that is a metric of datasets."""
    name = f"OpenDP, {measurement.output_measure}"
    if not metric.startswith(_OF_DATASETS):
        return Declared(name)
    found = _read_loss(measurement, str(measurement.output_measure), 1)
    if not found.known:
        return Declared(name)
    return Declared(name, None if found.rho else found.pure, found.delta, rho=found.rho or None)


def _cost(measurement: Any, measure: str, distance: Callable[[Any, Any], float], one: Any, other: Any) -> CallLoss:
    moved = distance(one, other)
    if moved == 0:
        return CallLoss()
    if not np.isfinite(moved):
        return CallLoss(inf, moved=inf)
    try:
        found = _read_loss(measurement, measure, _as_distance(measurement, moved))
    except Exception as error:
        if type(error).__name__ != "OpenDPException":
            raise
        return CallLoss(inf, moved=moved)
    return replace(found, moved=moved)


def _as_distance(measurement: Any, moved: float) -> Any:
    """A distance in the type that the map takes."""
    kind = str(measurement.input_distance_type)
    return float(moved) if kind.startswith("f") else int(np.ceil(moved - 1e-9))


def _read_loss(measurement: Any, measure: str, distance: Any) -> CallLoss:
    """The loss at a distance: ε, ρ, or (ε, δ). A privacy profile has no single loss."""
    found = measurement.map(distance)
    if measure.startswith("MaxDivergence"):
        return CallLoss(float(found))
    if measure.startswith("ZeroConcentratedDivergence"):
        return CallLoss(rho=float(found))
    if measure.startswith("Approximate(MaxDivergence"):
        return CallLoss(float(found[0]), delta=float(found[1]))
    if measure.startswith("Approximate(ZeroConcentratedDivergence"):
        return CallLoss(rho=float(found[0]), delta=float(found[1]))
    return CallLoss(inf, known=False)


def _symmetric(one: Any, other: Any) -> float:
    """Rows that only one of two lists has, counted."""
    a, b = Counter(map(_key, one)), Counter(map(_key, other))
    return float(((a - b) + (b - a)).total())


def _changed(one: Any, other: Any) -> float:
    """Rows to replace; infinity if the numbers of rows differ."""
    return _symmetric(one, other) / 2.0 if len(one) == len(other) else inf


def _hamming(one: Any, other: Any) -> float:
    """Places at which two lists differ; infinity if their lengths differ."""
    if len(one) != len(other):
        return inf
    return float(sum(_key(a) != _key(b) for a, b in zip(one, other, strict=True)))


def _insert_delete(one: Any, other: Any) -> float:
    """Rows to remove and to insert, in order."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - rarely needed

    same = SequenceMatcher(None, [*map(_key, one)], [*map(_key, other)], autojunk=False).get_matching_blocks()
    return float(len(one) + len(other) - 2 * sum(block.size for block in same))


def _discrete(one: Any, other: Any) -> float:
    return float(_key(one) != _key(other))


def _norm(order: float, one: Any, other: Any) -> float:
    a, b = np.ravel(np.asarray(one, dtype=float)), np.ravel(np.asarray(other, dtype=float))
    if a.shape != b.shape:
        return inf
    return float(np.linalg.norm(a - b, ord=order)) if a.size else 0.0


def _key(value: Any) -> Any:
    return tuple(map(_key, value)) if isinstance(value, list | tuple) else value


_OF_DATASETS = ("SymmetricDistance", "InsertDeleteDistance", "ChangeOneDistance", "HammingDistance")
_DISTANCES: dict[str, Callable[[Any, Any], float]] = {
    "SymmetricDistance": _symmetric,
    "InsertDeleteDistance": _insert_delete,
    "ChangeOneDistance": _changed,
    "HammingDistance": _hamming,
    "DiscreteDistance": _discrete,
    "AbsoluteDistance": partial(_norm, 1.0),
    "L1Distance": partial(_norm, 1.0),
    "L2Distance": partial(_norm, 2.0),
    "LInfDistance": partial(_norm, inf),
}
