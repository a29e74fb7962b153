"""From what was typed to the objects of an audit."""

import argparse
import ast
import inspect
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from mlaudit.adapters.convert import as_mechanism
from mlaudit.attacks._auto import automatic
from mlaudit.datasets._csv import read_csv
from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.plugins import load
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Attack, Mechanism, Procedure
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def the_mechanism(given: argparse.Namespace) -> tuple[Mechanism, Claim]:
    """The mechanism with its parameters, and the claim it is held against."""
    params = _parameters(given.param)
    found = load("mechanisms", given.mechanism)
    if _is_factory(found):
        return _made(found, given, params)
    own = {name: v for name, v in _claimed(given).items() if _takes(found, name)}
    built = build(found, {**own, **params}, given.mechanism)
    if isinstance(built, Mechanism):
        return built, _restated(built.claim, given)
    if given.epsilon is None:
        raise InvalidInput(f"{given.mechanism} must come with a claim, got none; give --epsilon")
    claim = Claim(**_claimed(given))
    return as_mechanism(built, claim), claim


def _is_factory(found: Any) -> bool:
    """A function of ε that returns a mechanism, rather than a mechanism's own function of (data, rng)."""
    return inspect.isfunction(found) and "epsilon" in inspect.signature(found).parameters


def _made(factory: Any, given: argparse.Namespace, params: dict[str, Any]) -> tuple[Mechanism, Claim]:
    accepted = set(inspect.signature(factory).parameters)
    for name in params:
        if name not in accepted:
            raise UnknownName(f"parameter of {given.mechanism}", name, accepted)
    typed = {name: value for name, value in _claimed(given).items() if name in accepted}
    try:
        made = factory(**{**typed, **params})
    except TypeError as error:
        raise InvalidInput(f"{given.mechanism} cannot be called: {error}; give --epsilon or --param") from error
    if not isinstance(made, Mechanism):
        raise InvalidInput(f"{given.mechanism} must return a mechanism, got {type(made).__name__}")
    return made, _restated(made.claim, given)


def build(found: Any, params: dict[str, Any], text: str) -> Any:
    """An instance: classes are called with the parameters, instances get them replaced."""
    known = {f.name for f in fields(found)} if is_dataclass(found) else set()
    for name in params:
        if name not in known:
            raise UnknownName(f"parameter of {text}", name, known)
    try:
        if isinstance(found, type):
            return found(**params)
        return replace(found, **params) if params else found
    except TypeError as error:
        raise InvalidInput(f"{text} cannot be built: {error}; give its parameters with --param") from error


def the_data(given: argparse.Namespace) -> Dataset | None:
    """A dataset by name, or a CSV file."""
    if given.data is None:
        return None
    if given.data.endswith(".csv"):
        return read_csv(Path(given.data), given.target)
    found = load("datasets", given.data)
    data = found() if callable(found) else found
    if not isinstance(data, Dataset):
        raise InvalidInput(f"{given.data} must be a Dataset or return one, got {type(data).__name__}")
    return data


def the_pair(text: str | None) -> Pair | None:
    """A Pair of the user's file, or what a function of that name returns."""
    if text is None:
        return None
    if ":" not in text:
        raise InvalidInput(f"--pair must name an object of a file, as in my_file.py:my_pair, got {text!r}")
    found = load("pairs", text)
    pair = found() if callable(found) else found
    if not isinstance(pair, Pair):
        raise InvalidInput(f"{text} must be a Pair or return one, got {type(pair).__name__}")
    return pair


def the_attacks(given: argparse.Namespace, mechanism: Mechanism, data: Dataset | None) -> tuple[Attack, ...]:
    """Every attack named."""
    if given.attack == "auto":
        return automatic(mechanism, data)
    return tuple(build(load("attacks", name), {}, name) for name in _split(given.attack))


def the_procedure(given: argparse.Namespace) -> Procedure:
    """The procedure with its classifiers and interval."""
    if given.paper:
        if given.procedure not in ("progressive", "two_phase") or given.interval or given.classifier:
            raise InvalidInput("--paper already says procedure, interval and classifier; leave those out")
        return TwoPhase.as_in_the_paper()
    options: dict[str, Any] = {}
    if given.classifier:
        options["classifiers"] = tuple(build(load("classifiers", n), {}, n) for n in _split(given.classifier))
    if given.interval:
        options["interval"] = build(load("intervals", given.interval), {}, given.interval)
    found = load("procedures", given.procedure)
    if "interval" in options and not _takes(found, "interval"):
        raise InvalidInput(f"{given.procedure} uses no interval, got --interval {given.interval}; use two_phase")
    built: Procedure = build(found, options, given.procedure)
    return built


def the_rows(text: str) -> tuple[int, ...]:
    """1,2,4,8 as numbers."""
    try:
        return tuple(int(part) for part in _split(text))
    except ValueError:
        raise InvalidInput(f"--rows must be whole numbers like 1,2,4,8, got {text!r}") from None


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _takes(found: Any, name: str) -> bool:
    return is_dataclass(found) and name in {f.name for f in fields(found)}


def _claimed(given: argparse.Namespace) -> dict[str, Any]:
    """What was typed of the claim, by name."""
    typed = {"epsilon": given.epsilon, "delta": given.delta, "relation": _relation(given.relation)}
    return {name: value for name, value in typed.items() if value is not None}


def _restated(claim: Claim, given: argparse.Namespace) -> Claim:
    """The mechanism's claim, with whatever was typed in its place."""
    typed = _claimed(given)
    if typed.get("delta") == 0:
        typed["gaussian"] = False
    return replace(claim, **typed)


def _relation(text: str | None) -> Relation | None:
    names = [relation.value for relation in Relation]
    if text is not None and text not in names:
        raise UnknownName("relation", text, names)
    return None if text is None else Relation(text)


def _parameters(pairs: list[str]) -> dict[str, Any]:
    params = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InvalidInput(f"--param must look like name=value, got {pair!r}")
        try:
            params[name] = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            params[name] = value
    return params
