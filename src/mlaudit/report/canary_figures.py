"""The figure of an audit by canaries."""

from scipy.special import expit

from mlaudit.canaries.result import CanaryResult
from mlaudit.report.figures._sketch import PALETTE, Point, Sketch, sketch
from mlaudit.types.numbers import count, percent


def right_guesses(result: CanaryResult) -> Sketch:
    """The share of correct guesses, beside what the claim allows and what a coin gives."""
    right, made = result.counts.correct[0], result.counts.guesses[0]
    bars = [
        ("correct guesses", right / made, f"{percent(right / made)}: {count(right)} of {count(made)}", PALETTE[0])
    ]
    if result.mu is None:
        most = float(expit(result.claim.epsilon))
        bars.append(("most under the claim", most, percent(most), PALETTE[1]))
    bars.append(("tossing a coin", 0.5, percent(0.5), PALETTE[6]))
    drawn = sketch(
        6.4,
        0.9 + 0.5 * len(bars),
        caption="How many of the guesses about canaries were correct.",
        x="%",
        y="guesses",
    )
    axes = drawn.figure.subplots()
    for position, (name, share, says, colour) in enumerate(bars):
        axes.barh(position, 100 * share, height=0.55, color=colour)
        axes.text(100 * share + 1, position, says, va="center")
        drawn.points.append(Point("", name, 100 * share, right, right, right, made))
    axes.set_yticks(range(len(bars)), labels=[name for name, *_ in bars])
    axes.set(xlabel="correct (%)", xlim=(0, 140), ylim=(len(bars) - 0.4, -0.6))
    axes.set_xticks([0, 20, 40, 60, 80, 100])
    return drawn
