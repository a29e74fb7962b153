"""From a spec to the objects of an audit."""

from dataclasses import replace
from typing import Any

from mlaudit.attacks._changes import with_change
from mlaudit.attacks.search import Search
from mlaudit.auditing.candidates import default_attacks
from mlaudit.auditing.inputs import LoadData, build_data_or_worst, build_pair
from mlaudit.auditing.learner import build_mechanism, build_part, check_method, claim_terms, has_field, instantiate
from mlaudit.auditing.run import Audit, check_numbers
from mlaudit.auditing.spec import AuditSpec
from mlaudit.auditing.spell import option_name, spell_value
from mlaudit.datasets._load import load_data
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Attack, Interval, Mechanism, Procedure
from mlaudit.search.worst import Worst
from mlaudit.types.changes import usual_change
from mlaudit.types.claim import Relation
from mlaudit.types.dataset import Dataset

# Options that only some procedures have as a field: what to say of the others, and a procedure that has it.
_OWN = {
    "interval": ("uses no interval", "two_phase"),
    "burn_in": ("has no burn-in", "progressive"),
    "beyond": ("does not stop early", "sequential"),
}


def build_audit(spec: AuditSpec, loader: LoadData = load_data, against: Relation | None = None) -> Audit:
    """The objects that a spec names.

    Args:
        spec: Plain values, as they are typed or as they stand in a sweep file.
        loader: Loads the data. A sweep passes a function that loads each dataset once.
        against: A relation that the learner does not claim, in place of the claimed one.

    Returns:
        The audit, ready to run.

    Raises:
        InvalidInput: If a name is unknown, if values do not fit together, or if the user's code fails.

    Example:
        >>> build_audit(AuditSpec("laplace", epsilon=2.0)).claim.epsilon
        2.0
    """
    check_numbers(spec.trainings, spec.alpha, spec.seed)
    mechanism, claim = build_mechanism(spec.mechanism, claim_terms(spec), spec.param)
    claim = claim if against is None else replace(claim, relation=against)
    data, pair = build_data_or_worst(spec, mechanism, loader), build_pair(spec.pair)
    if pair is not None and (data is not None or spec.attack != ("auto",)):
        raise InvalidInput("give either --pair, or --data and --attack, got both")
    return Audit(
        mechanism=mechanism,
        claim=claim,
        data=data,
        pair=pair,
        attack=None if pair is not None else build_attacks(spec, mechanism, data, claim.relation),
        rows=spec.rows,
        procedure=build_procedure(spec),
        trainings=spec.trainings,
        alpha=spec.alpha,
        seed=spec.seed,
        sampler=spec.sampler,
        isolate=spec.isolate,
    )


def build_attacks(
    spec: AuditSpec, mechanism: Mechanism, data: Dataset | Worst | None, relation: Relation
) -> tuple[Attack, ...]:
    """Every attack that a spec names, with its rows replaced, added or removed, or as the relation needs them."""
    if spec.attack == ("auto",):
        attacks = default_attacks(mechanism, data, relation)
    else:
        attacks = tuple(build_part("attacks", name, "__call__") for name in spec.attack)
    attacks = _set_search(spec, attacks)
    if spec.change != "replace" and data is None:
        raise InvalidInput(f"--change {spec.change} changes rows of data, got none; give --data")
    change = spec.change if data is None else usual_change(spec.change, relation)
    return tuple(with_change(attack, change) for attack in attacks)


def _set_search(spec: AuditSpec, attacks: tuple[Attack, ...]) -> tuple[Attack, ...]:
    """The attacks, with the options of a search that the spec gives."""
    given = {"share": spec.pilot_share, "outside": spec.outside_domain}
    options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if options and not any(isinstance(attack, Search) for attack in attacks):
        typed = "--pilot-share" if "share" in options else "--outside-domain"
        raise InvalidInput(f"{typed} is an option of the search, got another attack; use --attack search")
    return tuple(replace(one, **options) if isinstance(one, Search) else one for one in attacks)


def build_procedure(spec: AuditSpec) -> Procedure:
    """The procedure that a spec names, with its classifiers and with the options that are its own."""
    own = {name: getattr(spec, name) for name in _OWN if getattr(spec, name) is not None}
    if spec.paper:
        if spec.procedure not in ("progressive", "two_phase") or spec.classifier or own:
            said = ", ".join(map(option_name, ("procedure", "classifier", *_OWN)))
            raise InvalidInput(f"--paper already sets {said}; leave those out")
        return TwoPhase.as_in_the_paper()
    found = load("procedures", spec.procedure)
    for name, value in own.items():
        if not has_field(found, name):
            lacks, instead = _OWN[name]
            asked = f"{option_name(name)} {spell_value(value)}"
            raise InvalidInput(f"{spec.procedure} {lacks}, got {asked}; use {instead}")
    if spec.interval is not None:
        own["interval"] = build_interval(spec.interval)
    if spec.classifier is not None:
        own["classifiers"] = tuple(build_part("classifiers", name, "fit") for name in spec.classifier)
    built: Procedure = check_method(instantiate(found, own, spec.procedure), "confirm", spec.procedure)
    return built


def build_interval(text: str) -> Interval:
    """An interval by name."""
    interval: Interval = build_part("intervals", text, "log_ratio")
    return interval
