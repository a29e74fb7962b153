"""Outcomes as a short Markdown page: what a CI job shows beside its log."""

from collections.abc import Sequence

from mlaudit.report.markdown import escape, table
from mlaudit.report.outcomes import Outcome
from mlaudit.report.sarif import sentences
from mlaudit.results.lines import NO_PROOF, VERDICT_NAMES, claim_text
from mlaudit.types.numbers import bound, confidence, count, parameter, plural, upwards

_HEADS = ("Verdict", "Mechanism", "Claim", "ε at least", "Confidence", "Detects", "Trainings", "Defined in")
_MOST = 500  # rows; a CI host limits the size of a summary


def render(outcomes: Sequence[Outcome]) -> str:
    """A table with a row for each claim, and a paragraph for each violated one.

    Args:
        outcomes: What became of each claim, the gravest first.

    Returns:
        Markdown text.

    Example:
        >>> print(render([]).splitlines()[0])
        ## Privacy claims: none tested
    """
    refuted = [one for one in outcomes if one.verdict == "violated"]
    tested = plural(len(outcomes), "claim tested", "claims tested") if outcomes else "none tested"
    head = f"## Privacy claims: {tested}{f', {count(len(refuted))} violated' if refuted else ''}"
    left = len(outcomes) - _MOST
    parts = [
        head,
        *(f"**Violated.** {escape(sentences(one))}" for one in refuted[:_MOST]),
        table(_HEADS, [_row(one) for one in outcomes[:_MOST]]) if outcomes else "",
        f"{count(left)} more claims are not shown." if left > 0 else "",
        f"{NO_PROOF} *Detects*: a true ε of this size would have been detected with probability 90 %, if a tried "
        "pair shows it."
        if outcomes
        else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _row(one: Outcome) -> tuple[str, ...]:
    defined = one.locations[0] if one.locations else None
    return (
        VERDICT_NAMES[one.verdict],
        one.mechanism,
        claim_text(one.claim),
        bound(one.epsilon_lower, one.claim.epsilon),
        confidence(one.alpha),
        upwards(one.detectable) if one.detectable is not None and one.verdict == "not_refuted" else "",
        parameter(one.trainings),
        f"{defined.file}:{defined.line}" if defined else "",
    )
