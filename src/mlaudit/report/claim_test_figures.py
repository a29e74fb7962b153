"""The figure of a test of a claim: how much each detector showed."""

from mlaudit.refuting.result import ClaimTest
from mlaudit.report.figures._sketch import INK, PALETTE, Point, Sketch, sketch
from mlaudit.results.lines import VERDICT_NAMES
from mlaudit.types.numbers import bound as lower
from mlaudit.types.numbers import parameter

_COLOURS = {"violated": PALETTE[1], "not_repeated": PALETTE[4], "inconclusive": PALETTE[4], "not_refuted": PALETTE[0]}
_ROOM = 1.75  # times the longest bar, for what is written beside it


def bounds_by_detector(result: ClaimTest) -> Sketch:
    """A bar for every detector that was run, in order, and the claim."""
    claimed = result.claim.epsilon
    drawn = sketch(
        6.4,
        1.1 + 0.42 * len(result.attempts),
        caption="The lower bound on ε that each detector gave, in the order in which they ran. A bound beyond the "
        "dashed line, which is the claim, refutes the claim.",
        x="ε",
        y="detected by",
    )
    axes = drawn.figure.subplots()
    for position, one in enumerate(result.attempts):
        says = f"ε ≥ {lower(one.epsilon_lower, claimed)}, {VERDICT_NAMES[one.verdict].lower()}"
        axes.barh(position, one.epsilon_lower, height=0.55, color=_COLOURS[one.verdict])
        axes.text(max(one.epsilon_lower, claimed) + 0.03 * claimed, position, says, va="center")
        bound = one.epsilon_lower
        drawn.points.append(Point("", one.detector, bound, bound, bound, bound, one.trainings))
    axes.axvline(claimed, color=INK, lw=1.0, ls=(0, (5, 3)))
    axes.set_yticks(range(len(result.attempts)), labels=[one.detector for one in result.attempts])
    longest = max(claimed, result.epsilon_lower)
    axes.set(
        xlabel=f"ε shown (dashed: the claim, {parameter(claimed)})",
        xlim=(0, _ROOM * longest),
        ylim=(len(result.attempts) - 0.4, -0.6),
    )
    return drawn
