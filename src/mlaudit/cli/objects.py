"""From what was typed to the objects of an audit."""

import argparse
import ast
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any, cast

from mlaudit.adapters.convert import as_mechanism
from mlaudit.attacks._auto import automatic
from mlaudit.attacks.search import Search
from mlaudit.changes import changing
from mlaudit.cli.status import show_status
from mlaudit.datasets._load import load_data
from mlaudit.datasets._prepare import Preparation
from mlaudit.errors import AuditError, InvalidInput, UnknownName
from mlaudit.plugins import load
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Attack, Interval, Mechanism, Procedure
from mlaudit.searching.worst import Worst
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


def the_mechanism(given: argparse.Namespace) -> tuple[Mechanism, Claim]:
    """The mechanism with its parameters, and the claim it is held against."""
    return mechanism_from(given.mechanism, claimed(given), parameters(given.param))


def mechanism_from(text: str, typed: dict[str, Any], params: dict[str, Any]) -> tuple[Mechanism, Claim]:
    """The mechanism a text names; what was typed of the claim also goes where the mechanism takes it."""
    found = load("mechanisms", text)
    if is_factory(found):
        return _made(found, text, typed, params)
    built = build(found, {**{name: v for name, v in typed.items() if takes(found, name)}, **params}, text)
    if isinstance(built, Mechanism):
        _refuse_deaf(built, found, text, typed, params)
        return built, _restated(built.claim, typed)
    if "epsilon" not in typed:
        raise InvalidInput(f"{text} must come with a claim, got none; give --epsilon")
    claim = Claim(**typed)
    return as_mechanism(built, claim), claim


def _refuse_deaf(built: Mechanism, found: Any, text: str, typed: dict[str, Any], params: dict[str, Any]) -> None:
    """An ε that does not reach the mechanism would hold it against a promise it never made."""
    epsilon = typed.get("epsilon", built.claim.epsilon)
    if epsilon != built.claim.epsilon and "epsilon" not in params and not takes(found, "epsilon"):
        raise InvalidInput(
            f"{text} claims ε = {built.claim.epsilon:g} by itself, got --epsilon {epsilon:g}; leave --epsilon out, "
            "or name a function of epsilon that returns the mechanism"
        )


def is_factory(found: Any) -> bool:
    """A function of ε that returns a mechanism, rather than a mechanism's own function of (data, rng)."""
    return inspect.isfunction(found) and "epsilon" in inspect.signature(found).parameters


def _made(factory: Any, text: str, typed: dict[str, Any], params: dict[str, Any]) -> tuple[Mechanism, Claim]:
    accepted = set(inspect.signature(factory).parameters)
    for name in params:
        if name not in accepted:
            raise UnknownName(f"parameter of {text}", name, accepted)
    own = {name: value for name, value in typed.items() if name in accepted}
    made = _call(partial(factory, **{**own, **params}), text, "give --epsilon or --param")
    if not isinstance(made, Mechanism):
        raise InvalidInput(f"{text} must return a mechanism, got {type(made).__name__}")
    return made, _restated(made.claim, typed)


def build(found: Any, params: dict[str, Any], text: str) -> Any:
    """An instance: classes are called with the parameters, instances get them replaced."""
    known = {f.name for f in fields(found)} if is_dataclass(found) else set()
    for name in params:
        if name not in known:
            raise UnknownName(f"parameter of {text}", name, known)
    if isinstance(found, type):
        return _call(partial(found, **params), text, "give its parameters with --param")
    return _call(partial(replace, found, **params), text, "check --param") if params else found


def _call(make: Callable[[], Any], text: str, remedy: str) -> Any:
    """What somebody's code returns, or a sentence on why it does not."""
    try:
        return make()
    except (AuditError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InvalidInput(
            f"{text} must return when called, got {type(error).__name__}: {error}; {remedy}"
        ) from error


def the_data(given: argparse.Namespace, mechanism: Mechanism) -> Dataset | None:
    """A dataset by name, or a file, prepared as the mechanism prefers unless something else was typed."""
    if given.data == "worst":
        raise InvalidInput("--data worst is for run and relations, got it elsewhere; name a dataset or a file")
    for name in ("bounds", "vary_domain", "max_columns"):
        typed = getattr(given, name, None)
        if typed is not None and typed is not False:
            option = f"--{name.replace('_', '-')}"
            raise InvalidInput(f"{option} is for --data worst, got other data; leave it out")
    if given.data is None:
        if given.target is not None:
            raise InvalidInput("--target names a column of a file, got no --data; leave --target out")
        return None
    usual: Preparation = getattr(mechanism, "preparation", Preparation())
    options = {
        "--max-rows": {"rows": given.max_rows},
        "--categorical": {"categorical": given.categorical},
        "--data-seed": {"seed": given.data_seed},
        "--scale": {"scale": given.scale},
        "--classes": {"classes": None if given.classes is None else _two(given.classes)},
    }
    asked = [option for option, setting in options.items() if None not in setting.values()]
    how = replace(usual, **{name: value for option in asked for name, value in options[option].items()})
    show_status(f"loading {given.data}", show=not getattr(given, "quiet", True))
    load_it = partial(load_data, given.data, given.target, how, asked)
    return cast(Dataset, _call(load_it, given.data, "run it in Python"))


def the_data_or_worst(given: argparse.Namespace, mechanism: Mechanism) -> Dataset | Worst | None:
    """What `--data` names; `worst` asks for a search."""
    if given.data != "worst":
        return the_data(given, mechanism)
    options = ("target", "classes", "categorical", "scale", "data_seed")
    typed = [f"--{name.replace('_', '-')}" for name in options if getattr(given, name) is not None]
    if typed:
        raise InvalidInput(f"--data worst is crafted, not read, got {', '.join(typed)}; leave that out")
    bounds = None if given.bounds is None else _bounds(given.bounds)
    sizes = {"rows": given.max_rows, "columns": given.max_columns}
    return Worst(bounds, given.vary_domain, **{name: size for name, size in sizes.items() if size is not None})


def _bounds(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in _split(text))
    except ValueError:
        raise InvalidInput(f"--bounds must be two numbers, as in 0,1, got {text!r}") from None
    return low, high


def _two(text: str) -> tuple[str, str]:
    parts = _split(text)
    if len(parts) != 2:
        raise InvalidInput(f"--classes must name two labels, as in no,yes, got {text!r}")
    return parts[0], parts[1]


def the_pair(text: str | None) -> Pair | None:
    """A Pair of the user's file, or what a function of that name returns."""
    if text is None:
        return None
    if ":" not in text:
        raise InvalidInput(f"--pair must name an object of a file, as in my_file.py:my_pair, got {text!r}")
    found = load("pairs", text)
    pair = _call(found, text, "run it in Python to see why") if callable(found) else found
    if not isinstance(pair, Pair):
        raise InvalidInput(f"{text} must be a Pair or return one, got {type(pair).__name__}")
    return pair


def the_attacks(given: argparse.Namespace, mechanism: Mechanism, data: Dataset | Worst | None) -> tuple[Attack, ...]:
    """Every attack named."""
    if given.attack == "auto":
        attacks = automatic(mechanism, data)
    else:
        attacks = tuple(_built("attacks", name, "__call__") for name in _split(given.attack))
    share = getattr(given, "pilot_share", None)
    if share is not None:
        if not any(isinstance(attack, Search) for attack in attacks):
            raise InvalidInput("--pilot-share is a search's, got another attack; use --attack search")
        attacks = tuple(replace(one, share=share) if isinstance(one, Search) else one for one in attacks)
    if given.change != "replace" and data is None:
        raise InvalidInput(f"--change {given.change} changes rows of data, got none; give --data")
    return tuple(changing(attack, given.change) for attack in attacks)


def the_procedure(given: argparse.Namespace) -> Procedure:
    """The procedure with its classifiers and interval."""
    if given.paper:
        if given.procedure not in ("progressive", "two_phase") or given.interval or given.classifier:
            raise InvalidInput("--paper already says procedure, interval and classifier; leave those out")
        return TwoPhase.as_in_the_paper()
    options: dict[str, Any] = {}
    if given.classifier is not None:
        options["classifiers"] = tuple(_built("classifiers", name, "fit") for name in _split(given.classifier))
    if given.interval is not None:
        options["interval"] = the_interval(given.interval)
    if given.beyond is not None:
        options["beyond"] = given.beyond
    found = load("procedures", given.procedure)
    if "beyond" in options and not takes(found, "beyond"):
        raise InvalidInput(f"{given.procedure} does not stop early, got --beyond {given.beyond:g}; use sequential")
    if "interval" in options and not takes(found, "interval"):
        raise InvalidInput(f"{given.procedure} uses no interval, got --interval {given.interval}; use two_phase")
    built: Procedure = _having("confirm", build(found, options, given.procedure), given.procedure)
    return built


def the_interval(text: str) -> Interval:
    """An interval by name."""
    interval: Interval = _built("intervals", text, "log_ratio")
    return interval


def _built(kind: str, text: str, method: str) -> Any:
    return _having(method, build(load(kind, text), {}, text), text)


def _having(method: str, built: Any, text: str) -> Any:
    if not callable(getattr(built, method, None)):
        raise InvalidInput(f"{text} must have a method {method}, got {type(built).__name__}; see `mlaudit check`")
    return built


def the_rows(text: str) -> tuple[int, ...]:
    """1,2,4,8 as numbers."""
    try:
        return tuple(int(part) for part in _split(text))
    except ValueError:
        raise InvalidInput(f"--rows must be whole numbers like 1,2,4,8, got {text!r}") from None


def _split(text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise InvalidInput(f"a list needs at least one entry, as in a,b, got {text!r}; leave the option out")
    return parts


def takes(found: Any, name: str) -> bool:
    """Whether a dataclass has such a field."""
    return is_dataclass(found) and name in {f.name for f in fields(found)}


def claimed(given: argparse.Namespace) -> dict[str, Any]:
    """What was typed of the claim, by name."""
    typed = {"epsilon": given.epsilon, "delta": given.delta, "relation": _relation(given.relation)}
    return {name: value for name, value in typed.items() if value is not None}


def _restated(claim: Claim, typed: dict[str, Any]) -> Claim:
    """The mechanism's claim, with whatever was typed in its place."""
    gaussian = claim.gaussian and typed.get("delta") != 0
    return replace(claim, **{**typed, "gaussian": gaussian})


def _relation(text: str | None) -> Relation | None:
    names = [relation.value for relation in Relation]
    if text is not None and text not in names:
        raise UnknownName("relation", text, names)
    return None if text is None else Relation(text)


def parameters(pairs: list[str]) -> dict[str, Any]:
    """What was typed as --param name=value, by name."""
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
