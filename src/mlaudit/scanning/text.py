"""The result of a scan as a table for people and as one object for programs."""

from typing import TYPE_CHECKING, Any

from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.results.summary import summarise_claim
from mlaudit.types import numbers
from mlaudit.types.claim import Relation
from mlaudit.types.numbers import confidence, count, parameter, plural

if TYPE_CHECKING:  # the classes call these functions
    from mlaudit.scanning.result import Leak, ScanResult

_HEADS = ("attribute", "relation", "ε at least", "verdict", "access", "what it reveals")


def render(result: "ScanResult") -> str:
    """What the learner claims, what was found, and how."""
    made = f" ({result.stands_for})" if result.stands_for else ""
    looked = f"{plural(result.paths, 'path')} of the fitted object on {result.dataset}"
    apart = f"{plural(result.neighbours, 'neighbour')} one row apart, {plural(result.pilot, 'training')} each"
    counted = f"{plural(len(result.leaks), 'suspect')}, each on {count(result.trainings)} fresh trainings"
    sure = f"all bounds hold together with {confidence(result.alpha)} confidence"
    lines = [
        f"{result.mechanism}{made} claims {result.claim}.",
        *_headlines(result),
        *(["", *_table(result)] if result.above else []),
        "",
        f"  looked at   {looked}, {apart}",
        f"  counted     {counted}; {sure}, seed {result.seed}",
        *(f"  note        {note}" for note in result.notes),
    ]
    return "\n".join(lines)


def _headlines(result: "ScanResult") -> list[str]:
    """The claimed relation first; what is seen under another one is information, not a verdict."""
    refuted = [leak for leak in result.above if leak.standing == "violation"]
    unsettled = [leak for leak in result.above if leak.standing == "undecided"]
    others = [leak for leak in result.above if leak.standing == "not claimed"]
    other = next(relation.value for relation in Relation if relation is not result.claim.relation)
    epsilon = f"ε = {parameter(result.claim.epsilon)}"
    told = "Nothing that was looked at refutes the claim."
    if refuted:
        told = f"VIOLATION: {_attributes(refuted)} more of a row than the claim allows."
    few = f"UNDECIDED: {_attributes(unsettled)} D from D′ without fail, in too few trainings to refute {epsilon}."
    more = f"Under {other}, which is not what is claimed, {_attributes(others)} more than {epsilon}."
    return [told, *([few] if unsettled else []), *([more] if others else [])]


def _attributes(leaks: "list[Leak]") -> str:
    names = list(dict.fromkeys(leak.suspect.attribute for leak in leaks))
    return f"{', '.join(names)} {'tells' if len(names) == 1 else 'tell'}"


def _table(result: "ScanResult") -> list[str]:
    groups: dict[tuple[object, ...], list[Leak]] = {}
    for leak in result.above:
        groups.setdefault(_cause(leak), []).append(leak)
    rows = [_HEADS, *(_row(group, result) for group in groups.values())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS) - 1)]
    return [
        "  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]


def _cause(leak: "Leak") -> tuple[object, ...]:
    """What vanishes or changes its form together is told in one row."""
    suspect = leak.suspect
    formal = suspect.clues[0].text is not None and suspect.clues[0].total
    return leak.standing, suspect.neighbour, suspect.public, formal or suspect.attribute


def _row(group: "list[Leak]", result: "ScanResult") -> tuple[str, ...]:
    first = group[0]
    suspect = first.suspect
    return (
        ", ".join(leak.suspect.attribute for leak in group),
        suspect.neighbour.pair.relation.value,
        numbers.bound(first.bound.epsilon, result.claim.epsilon),
        "VIOLATION" if first.standing == "violation" else first.standing,
        "public" if suspect.public else "private",
        f"{suspect.neighbour.change}: {first.reveals}",
    )


def summarise(result: "ScanResult") -> dict[str, Any]:
    """The values that programs ask for; every suspect is a row, also one that the claim allows."""
    return {
        "schema_version": SCHEMA_VERSION,
        "mechanism": result.mechanism,
        "stands_for": result.stands_for,
        "dataset": result.dataset,
        "claim": summarise_claim(result.claim),
        "epsilon_lower": result.epsilon_lower,
        "verdict": "violation" if result.violated else "consistent",
        "neighbours": result.neighbours,
        "paths": result.paths,
        "pilot": result.pilot,
        "trainings": result.trainings,
        "alpha": result.alpha,
        "seed": result.seed,
        "notes": list(result.notes),
        "rows": [_summarise_leak(leak) for leak in result.leaks],
    }


def _summarise_leak(leak: "Leak") -> dict[str, Any]:
    suspect = leak.suspect
    return {
        "attribute": suspect.attribute,
        "paths": [clue.path for clue in suspect.clues],
        "relation": suspect.neighbour.pair.relation.value,
        "change": suspect.neighbour.change,
        "reveals": leak.reveals,
        "access": "public" if suspect.public else "private",
        "epsilon_lower": leak.bound.epsilon,
        "ceiling": leak.bound.ceiling,
        "right": leak.right,
        "guesses": leak.guesses,
        "verdict": leak.standing,
    }
