"""From names and parameters to the user's objects: mechanisms with their claims, and instances of classes."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from typing import Any

from mlaudit.adapters.convert import as_mechanism
from mlaudit.adapters.program import Program
from mlaudit.auditing.spec import LearnerSpec
from mlaudit.errors import AuditError, InvalidInput, UnknownName
from mlaudit.naming.commands import is_command
from mlaudit.naming.plugins import load
from mlaudit.protocols import Mechanism
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.numbers import parameter


def claim_terms(spec: LearnerSpec) -> dict[str, Any]:
    """The parts of the claim that a spec gives, by name."""
    relation = None if spec.relation is None else Relation(spec.relation)
    terms = {"epsilon": spec.epsilon, "delta": spec.delta, "relation": relation}
    return {name: value for name, value in terms.items() if value is not None}


def build_mechanism(text: str, terms: Mapping[str, Any], params: Mapping[str, Any]) -> tuple[Mechanism, Claim]:
    """The mechanism that a text names, and the claim it is held against.

    Args:
        text: A name, `pkg.module:object`, `my_file.py:object`, or `cmd:` and a command, which is then run.
        terms: The given parts of the claim. A mechanism also gets those that it has fields for.
        params: Other parameters of the mechanism.

    Returns:
        The mechanism, and its own claim with the given parts in place of its own.

    Raises:
        InvalidInput: If there is no such mechanism, or if it cannot be built.
    """
    if is_command(text):
        program = open_program(text, terms, params)
        return program, _restate(program.claim, terms)
    found = load("mechanisms", text)
    if is_factory(found):
        return _call_factory(found, text, terms, params)
    own = {name: value for name, value in terms.items() if has_field(found, name)}
    built = instantiate(found, {**own, **params}, text)
    if isinstance(built, Mechanism):
        _refuse_unheard_epsilon(built, found, text, terms, params)
        return built, _restate(built.claim, terms)
    if "epsilon" not in terms:
        raise InvalidInput(f"{text} must come with a claim, got none; give --epsilon")
    claim = Claim(**terms)
    return as_mechanism(built, claim), claim


def open_program(text: str, terms: Mapping[str, Any], params: Mapping[str, Any]) -> Program:
    """The program that a command starts; it is told the claim, or states its own."""
    if "epsilon" in terms:
        return Program(text, Claim(**terms), params)
    if terms:
        raise InvalidInput(f"{text} must come with a whole claim, got {', '.join(terms)} without ε; give --epsilon")
    return Program(text, None, params)


def _refuse_unheard_epsilon(
    built: Mechanism, found: Any, text: str, terms: Mapping[str, Any], params: Mapping[str, Any]
) -> None:
    """Refuse an ε that does not reach the mechanism: it would be held against a claim that it never made."""
    epsilon = terms.get("epsilon", built.claim.epsilon)
    if epsilon != built.claim.epsilon and "epsilon" not in params and not has_field(found, "epsilon"):
        raise InvalidInput(
            f"{text} claims ε = {parameter(built.claim.epsilon)} by itself, got --epsilon {parameter(epsilon)}; "
            "leave --epsilon out, or name a function of epsilon that returns the mechanism"
        )


def is_factory(found: Any) -> bool:
    """Whether this is a function of ε that returns a mechanism, not a mechanism's own function of (data, rng)."""
    return inspect.isfunction(found) and "epsilon" in inspect.signature(found).parameters


def _call_factory(
    factory: Any, text: str, terms: Mapping[str, Any], params: Mapping[str, Any]
) -> tuple[Mechanism, Claim]:
    accepted = set(inspect.signature(factory).parameters)
    for name in params:
        if name not in accepted:
            raise UnknownName(f"parameter of {text}", name, accepted)
    own = {name: value for name, value in terms.items() if name in accepted}
    made = call_users_code(partial(factory, **{**own, **params}), text, "give --epsilon or --param")
    if not isinstance(made, Mechanism):
        raise InvalidInput(f"{text} must return a mechanism, got {type(made).__name__}")
    return made, _restate(made.claim, terms)


def _restate(claim: Claim, terms: Mapping[str, Any]) -> Claim:
    """The mechanism's claim, with the given parts in place of its own."""
    gaussian = claim.gaussian and terms.get("delta") != 0
    return replace(claim, **{**terms, "gaussian": gaussian})


def build_part(kind: str, text: str, method: str) -> Any:
    """An instance of a plug-in that has the method which its kind needs."""
    return check_method(instantiate(load(kind, text), {}, text), method, text)


def check_method(built: Any, method: str, text: str) -> Any:
    """The object; refused if it lacks the method."""
    if not callable(getattr(built, method, None)):
        raise InvalidInput(f"{text} must have a method {method}, got {type(built).__name__}; see `mlaudit check`")
    return built


def instantiate(found: Any, params: Mapping[str, Any], text: str) -> Any:
    """An instance: a class is called with the parameters, an instance gets them replaced."""
    known = {f.name for f in fields(found)} if is_dataclass(found) else set()
    for name in params:
        if name not in known:
            raise UnknownName(f"parameter of {text}", name, known)
    if isinstance(found, type):
        return call_users_code(partial(found, **params), text, "give its parameters with --param")
    return call_users_code(partial(replace, found, **params), text, "check --param") if params else found


def has_field(found: Any, name: str) -> bool:
    """Whether a dataclass has such a field."""
    return is_dataclass(found) and name in {f.name for f in fields(found)}


def call_users_code(make: Callable[[], Any], text: str, remedy: str) -> Any:
    """What the user's code returns; one sentence for whatever it raises."""
    try:
        return make()
    except (AuditError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InvalidInput(
            f"{text} must return when called, got {type(error).__name__}: {error}; {remedy}"
        ) from error
