"""The result of an audit of a library as text: a line for each item, then what was found."""

from mlaudit.library.result import Entry, LibraryResult
from mlaudit.results.lines import NO_PROOF, VERDICT_NAMES, claim_text
from mlaudit.types.numbers import bound, count, measurement, parameter, plural, upwards

NAMES = {**VERDICT_NAMES, "error": "Not tested"}
HEADS = ("Verdict", "Mechanism", "Claim", "ε at least", "Detects", "Trainings", "CPU s")
_TIME = "time limit"
DETECTS = "Detects: a true ε of this size would have been detected with probability 90 %, if a tried pair shows it."


def show_row(one: Entry) -> tuple[str, ...]:
    """An entry as the cells of `HEADS`."""
    found, spent = one.result, measurement(one.cpu_seconds, 3)
    if found is None:
        return NAMES["error"], one.name, "", "", "", "", spent
    able = one.verdict == "not_refuted" and found.detectable < float("inf")
    return (
        NAMES[one.verdict],
        one.name,
        claim_text(found.claim),
        bound(found.epsilon_lower, found.claim.epsilon),
        upwards(found.detectable) if able else "",
        parameter(found.trainings),
        spent,
    )


def explain_entry(one: Entry) -> list[str]:
    """Why the claim of an item is refuted, why it was not tested, or what ran out of time; nothing for the others."""
    if one.result is None:
        return [one.error]
    if one.result.findings:
        return [f"{found.place}: {found.cause}" for found in one.result.findings]
    late = [skipped.detector for skipped in one.result.skipped if _TIME in skipped.why]
    return [f"the time limit ended the test before {', '.join(late)}"] if late else []


def title_line(result: LibraryResult) -> str:
    """The library and the number of items of each verdict.

    >>> title_line(LibraryResult("mine", "1.0", 0.05, "smoke", 0, (Entry("a", None, "no data"),)))
    'mine 1.0: 1 claim, 1 not tested'
    """
    name = f"{result.library} {result.version}".strip()
    found = [f"{count(number)} {NAMES[verdict].lower()}" for verdict, number in result.verdicts.items()]
    return f"{name}: {', '.join([plural(len(result.entries), 'claim'), *found])}"


def method_line(result: LibraryResult) -> str:
    """What the verdicts mean together."""
    return (
        f"The probability that any true claim of this table is called violated is at most {parameter(result.alpha)}. "
        f"Effort {result.effort}, seed {result.seed}, {measurement(result.cpu_seconds, 3)} CPU seconds. {NO_PROOF}"
    )


def render(result: LibraryResult) -> str:
    """The whole text for a terminal."""
    rows = [HEADS, *map(show_row, result.entries)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEADS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    found = [f"{one.name}: {why}" for one in result.entries for why in explain_entry(one)]
    return "\n".join(
        [title_line(result), "", *lines, "", *found, *([""] if found else []), method_line(result), DETECTS]
    )
