"""The result of a scan as a table for people and as one object for programs."""

from typing import TYPE_CHECKING, Any

from mlaudit.results.card_text import card_lines, card_unit_lines, summarise_card
from mlaudit.results.json import SCHEMA_VERSION
from mlaudit.results.lines import bound_text, title_line
from mlaudit.results.summary import summarise_claim
from mlaudit.scanning.standing import ORDER, Standing, relation_of
from mlaudit.types import numbers
from mlaudit.types.claim import Claim
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
        title_line(result.verdict, f"{result.mechanism}{made}", result.claim),
        *_headlines(result),
        *(["", *_table(result)] if result.above else []),
        "",
        *card_lines(result.card),
        *card_unit_lines(result.card),
        f"  looked at   {looked}, {apart}",
        f"  counted     {counted}; {sure}, seed {result.seed}",
        *(f"  note        {note}" for note in result.notes),
    ]
    return "\n".join(lines)


def _headlines(result: "ScanResult") -> list[str]:
    """The claimed relation first; what is seen under another one is information, not a verdict."""
    found = [_headline(stands, result) for stands in ORDER if stands != "not_refuted"]
    nothing = (
        []
        if result.violated
        else ["No attribute of the fitted object refutes the claim. A scan cannot prove the claim."]
    )
    return [*nothing, *filter(None, found)]


def _headline(stands: Standing, result: "ScanResult") -> str:
    """What to say of all suspects of one standing; nothing if there is none."""
    leaks = [leak for leak in result.above if leak.standing == stands]
    if not leaks:
        return ""
    who, epsilon = _attributes(leaks), f"ε = {parameter(result.claim.epsilon)}"
    if stands == "violated":
        bound = bound_text(max(leaks, key=lambda leak: leak.bound.epsilon).bound, result.claim)
        return f"{bound}. {who} more about {_protected(result)} than the claim allows, also on fresh trainings."
    if stands == "not_repeated":
        return f"{who} more about {_protected(result)} than the claim allows, but not on fresh trainings."
    if stands == "inconclusive":
        return (
            f"{who} in every training whether it was on D or D′, but the trainings are too few to refute {epsilon}."
        )
    others = dict.fromkeys(relation_of(leak.suspect.neighbour.pair, result.claim).value for leak in leaks)
    return f"Under {' and '.join(others)}, which is not claimed, {who} more than {epsilon} allows."


def _protected(result: "ScanResult") -> str:
    return "a row" if result.claim.unit is None else f"a unit ({result.claim.unit})"


def _attributes(leaks: "list[Leak]") -> str:
    names = list(dict.fromkeys(leak.suspect.attribute for leak in leaks))
    return f"{', '.join(names)} {'reveals' if len(names) == 1 else 'reveal'}"


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
        relation_of(suspect.neighbour.pair, result.claim).value,
        numbers.bound(first.bound.epsilon, result.claim.epsilon),
        first.standing.upper() if first.standing == "violated" else first.standing.replace("_", " "),
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
        "verdict": result.verdict,
        "neighbours": result.neighbours,
        "paths": result.paths,
        "pilot": result.pilot,
        "trainings": result.trainings,
        "alpha": result.alpha,
        "seed": result.seed,
        "notes": list(result.notes),
        "data_card": summarise_card(result.card),
        "rows": [_summarise_leak(leak, result.claim) for leak in result.leaks],
    }


def _summarise_leak(leak: "Leak", claim: Claim) -> dict[str, Any]:
    suspect = leak.suspect
    return {
        "attribute": suspect.attribute,
        "paths": [clue.path for clue in suspect.clues],
        "relation": relation_of(suspect.neighbour.pair, claim).value,
        "change": suspect.neighbour.change,
        "reveals": leak.reveals,
        "access": "public" if suspect.public else "private",
        "epsilon_lower": leak.bound.epsilon,
        "ceiling": leak.bound.ceiling,
        "right": leak.right,
        "guesses": leak.guesses,
        "verdict": leak.standing,
        "repeated_epsilon_lower": None if leak.repeated is None else leak.repeated.epsilon,
    }
