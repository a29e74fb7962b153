"""The one figure of a single audit; needs the extra `report`."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit

from mlaudit.errors import MissingExtra
from mlaudit.results.audit_result import AuditResult
from mlaudit.statistics.e_process import log_wealth
from mlaudit.types.finding import ArmCounts, Bets, GuessCounts
from mlaudit.types.numbers import bound, parameter

_BLUE, _ORANGE, _GREY = "#0072B2", "#D55E00", "#666666"  # told apart by the colour-blind, too


def draw(result: AuditResult, path: Path) -> Path:
    """Write the figure of a result as SVG, the same bytes for the same result."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    with mpl.rc_context({"svg.hashsalt": "mlaudit", "font.size": 9, "svg.fonttype": "none"}):
        figure = Figure(figsize=(6.0, 3.6), layout="constrained")
        axes = figure.subplots()
        evidence = result.finding.evidence
        if isinstance(evidence, ArmCounts):
            _draw_arms(axes, evidence)
        elif isinstance(evidence, Bets):
            _draw_bets(axes, evidence, result)
        else:
            _draw_guesses(axes, evidence, result)
        axes.set_title(f"{result.provenance.mechanism}: claimed {result.claim}, shown ε ≥ {_bound_text(result)}")
        axes.spines[["top", "right"]].set_visible(False)
        figure.savefig(path, metadata={"Date": None})
    return path


def _bound_text(result: AuditResult) -> str:
    return bound(result.epsilon_lower, result.claim.epsilon)


def _draw_guesses(axes: Any, counts: GuessCounts, result: AuditResult) -> None:
    """Accuracy among the most confident guesses, against what the claim allows."""
    guesses, correct = np.array(counts.guesses), np.array(counts.correct)
    steps = result.finding.bound.steps
    share = 100 * guesses / guesses[-1]
    axes.plot(share, 100 * correct / guesses, "o-", color=_BLUE, label="guesses that were right")
    allowed = 100 * float(expit(steps * result.claim.epsilon))
    shown = 100 * float(expit(steps * result.epsilon_lower))
    axes.axhline(allowed, color=_ORANGE, ls="--", label=f"most that ε = {parameter(result.claim.epsilon)} allows")
    axes.axhline(shown, color=_GREY, ls=":", label=f"most that ε = {_bound_text(result)} allows")
    axes.set(xscale="log", xlabel="most confident guesses (% of all)", ylabel="right (%)", ylim=(45, 102))
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], labels=["1", "2", "5", "10", "20", "50", "100"])
    axes.minorticks_off()
    axes.legend(frameon=False, loc="lower left")


def _draw_bets(axes: Any, bets: Bets, result: AuditResult) -> None:
    """The wealth after every training, against what refutes the claim."""
    won = np.exp(log_wealth(bets, result.claim, result.finding.bound.steps))
    enough = 1 / result.finding.bound.alpha
    axes.plot(bets.learned + np.arange(1, len(won) + 1), won, color=_BLUE, label="wealth won by betting")
    axes.axhline(enough, color=_ORANGE, ls="--", label=f"enough to refute ε = {parameter(result.claim.epsilon)}")
    axes.set(yscale="log", xlabel="trainings", ylabel="wealth")
    axes.legend(frameon=False, loc="upper left")


def _draw_arms(axes: Any, counts: ArmCounts) -> None:
    """How often the output fell into S, on either side."""
    rates = [100 * counts.hits / counts.trials, 100 * counts.false_hits / counts.false_trials]
    bars = axes.bar(["the side S was made for", "the other side"], rates, color=[_BLUE, _ORANGE], width=0.5)
    axes.bar_label(
        bars, [f"{counts.hits} of {counts.trials}", f"{counts.false_hits} of {counts.false_trials}"], padding=2
    )
    axes.set(ylabel="fresh trainings in S (%)", ylim=(0, 105))
