"""The arguments of Python calls such as `audit()`: names become objects, and parts of the user's own are checked.

A name of `mlaudit list` stands for something that mlaudit ships or that an installed package registers. It never
imports a user's file: whoever has an object imports it and hands it over.
"""

from dataclasses import fields, is_dataclass
from typing import Any, cast

from mlaudit.datasets._load import load_installed
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load_shipped
from mlaudit.protocols import Attack, Engine, Procedure
from mlaudit.search.worst import Worst
from mlaudit.types.checks import instance, with_methods
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import parameter
from mlaudit.types.traits import preparation_for


def resolve_mechanism(given: Any, claim: Claim | None) -> Any:
    """The mechanism of that name, built with the claim's ε and δ; anything else as it is.

    >>> resolve_mechanism("laplace", Claim(2.0)).epsilon
    2.0
    >>> resolve_mechanism("laplce", None)
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no mechanism is called 'laplce'; did you mean 'laplace'?
    """
    return build_claiming("mechanisms", given, claim) if isinstance(given, str) else given


def build_claiming(kind: str, name: str, claim: Claim | None) -> Any:
    """The mechanism or trainer of that name, which must claim what the claim says.

    Args:
        kind: "mechanisms" or "trainers".
        name: A name of `mlaudit list`.
        claim: Its ε and δ, or None for its defaults.

    Returns:
        The object.

    Raises:
        UnknownName: If nothing installed has that name.
        InvalidInput: If it cannot claim that: its neighbour relation is another, or its ε is fixed.

    Example:
        >>> from mlaudit.types.claim import Relation
        >>> build_claiming("mechanisms", "k_means", Claim(1.0))
        Traceback (most recent call last):
        mlaudit.errors.InvalidInput: k_means claims add-remove, got a claim under replace-one; state the relation in \
the claim, or build the object yourself
    """
    found = _load(kind, name)
    if claim is None:
        return found() if isinstance(found, type) else found
    instance("claim", claim, Claim, "as in claim=Claim(1.0)")
    known = {field.name for field in fields(found)} if is_dataclass(found) else set()
    asked = {part: getattr(claim, part) for part in ("epsilon", "delta") if part in known}
    built = found(**asked) if isinstance(found, type) else found
    if built.claim.relation is not claim.relation:
        raise InvalidInput(
            f"{name} claims {built.claim.relation.value}, got a claim under {claim.relation.value}; state the "
            "relation in the claim, or build the object yourself"
        )
    if built.claim.epsilon != claim.epsilon:
        raise InvalidInput(
            f"{name} claims ε = {parameter(built.claim.epsilon)} by itself, got a claim of "
            f"{parameter(claim.epsilon)}; leave the claim out, or build the object yourself"
        )
    return built


def resolve_data(given: Any, mechanism: Any) -> Dataset | Worst | None:
    """The dataset of that name or file, prepared as the mechanism prefers; anything else as it is.

    >>> resolve_data("iris", None)
    Dataset(100 rows × 4 columns, labelled, 'iris')
    """
    if not isinstance(given, str):
        return cast(Dataset | Worst | None, given)
    return load_installed(given, None, preparation_for(mechanism))


def resolve_attacks(given: Any) -> tuple[Attack, ...] | None:
    """The attacks: one or a list of them, by name or as they are.

    >>> resolve_attacks(["influence", "swap_x"])
    (Influence(iterations=200, step=0.2), SwapX())
    """
    if given is None:
        return None
    return tuple(_build("attacks", one) for one in (given if isinstance(given, list | tuple) else (given,)))


def resolve_procedure(given: Any) -> Procedure | None:
    """The procedure of that name; anything else as it is.

    >>> resolve_procedure("two_phase").interval
    Exact(gamma_share=0.001)
    """
    return cast(Procedure | None, _build("procedures", given))


def _build(kind: str, given: Any) -> Any:
    if not isinstance(given, str):
        return given
    found = _load(kind, given)
    return found() if isinstance(found, type) else found


def _load(kind: str, name: str) -> Any:
    if ":" in name:
        raise InvalidInput(
            f"a name must be one of `mlaudit list {kind}`, got {name!r}; import the object and give it instead"
        )
    return load_shipped(kind, name)


def check_engine(given: Any) -> Engine:
    """The engine, if it can run trainings.

    >>> check_engine("loky")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: engine must be an engine with a method map_unordered, got str; write LokyEngine(2)
    """
    checked: Engine = with_methods("engine", given, "an engine", ["map_unordered"], "write LokyEngine(2)")
    return checked


def check_procedure(given: Any) -> Procedure:
    """The procedure, if it can audit and confirm.

    >>> check_procedure("two_phase")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: procedure must be an object with a method confirm, got str; write TwoPhase()
    """
    checked: Procedure = with_methods("procedure", given, "an object", ["confirm"], "write TwoPhase()")
    return checked
