"""The figures of a single audit: how the scores lay, and the bound at every fraction."""

from typing import Any

import numpy as np

from mlaudit.report.figures._sketch import INK, PALETTE, Point, Sketch, grid_lines, legend_above, line_handle, sketch
from mlaudit.report.prefixes import Prefix
from mlaudit.results.audit_result import AuditResult
from mlaudit.statistics.e_process import log_wealth
from mlaudit.types.finding import Bets, ScoreCounts
from mlaudit.types.numbers import bound as lower
from mlaudit.types.numbers import count, measurement, parameter, percent

_BASE, _NEIGHBOUR = PALETTE[0], PALETTE[1]
_PERCENT = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def scores(counts: ScoreCounts, result: AuditResult) -> Sketch:
    """Two histograms over the same bins: trainings on D, trainings on D′."""
    drawn = sketch(
        6.4,
        3.7,
        caption="The number of counted trainings with each score, which is the distinguisher's log-odds that a "
        "training was on D. The further apart the two histograms are, the more an output reveals. The outermost bins "
        "also count all scores beyond them.",
        x="score from",
        y="trainings",
    )
    axes = drawn.figure.subplots()
    grid_lines(axes)
    total = {"D": sum(counts.on_base), "D′": sum(counts.on_neighbour)}
    for name, side, colour in (("D", counts.on_base, _BASE), ("D′", counts.on_neighbour, _NEIGHBOUR)):
        axes.stairs(side, counts.edges, color=colour, fill=True, alpha=0.22)
        axes.stairs(side, counts.edges, color=colour, lw=1.4, ls="-" if name == "D" else (0, (4, 1.5)))
        middles = [(a + b) / 2 for a, b in zip(counts.edges, counts.edges[1:], strict=False)]
        edges = list(zip(counts.edges, counts.edges[1:], strict=False))
        says = [
            f"{name}: {count(n)} of {count(total[name])}\nscore {measurement(a)} to {measurement(b)}"
            for n, (a, b) in zip(side, edges, strict=True)
        ]
        drawn.mark(axes, list(zip(middles, side, strict=True)), says, marker="o", ms=6, mfc="none", mec="none")
        drawn.points += [Point("", name, a, n, n, n, n) for n, (a, _) in zip(side, edges, strict=True)]
    handles = [line_handle(color=_BASE, lw=2), line_handle(color=_NEIGHBOUR, lw=2, ls=(0, (4, 1.5)))]
    names = [f"{count(total[name])} trainings on {name}" for name in total]
    threshold = result.finding.witness.threshold
    if threshold is not None and counts.edges[0] < threshold < counts.edges[-1]:
        axes.axvline(threshold, color=INK, lw=1.0, ls=(0, (5, 3)))
        handles.append(line_handle(color=INK, lw=1.0, ls=(0, (5, 3))))
        names.append("threshold of S")
    axes.set(xlabel="score: log-odds of D", ylabel="trainings", ylim=(0, None))
    axes.margins(x=0)
    legend_above(drawn, handles, names, columns=3)
    return drawn


def fractions(found: list[Prefix], result: AuditResult) -> Sketch:
    """What each set of most confident guesses shows by itself, beside the scan's bound and the claim."""
    claim, bound = result.claim.epsilon, result.finding.bound
    drawn = sketch(
        6.4,
        3.7,
        caption="Each point is the bound from one set of most confident guesses alone. The audit's own bound "
        "corrects for the choice among all sets, so it lies below the highest point.",
        x="most confident guesses, % of all",
        y="ε shown by this prefix alone",
    )
    axes = drawn.figure.subplots()
    grid_lines(axes)
    at = [(100 * prefix.share, prefix.epsilon) for prefix in found]
    axes.plot([x for x, _ in at], [y for _, y in at], color=_BASE, lw=1.3)
    says = [
        f"the {count(prefix.guesses)} most confident guesses\n"
        f"{count(prefix.right)} correct ({percent(prefix.accuracy)})\n"
        f"alone they show ε ≥ {lower(prefix.epsilon, None)}"
        for prefix in found
    ]
    drawn.mark(axes, at, says, marker="o", color=_BASE)
    lines: list[tuple[float, dict[str, Any], str]] = [
        (claim, {"color": _NEIGHBOUR, "lw": 1.3, "ls": (0, (5, 3))}, f"claimed ε = {parameter(claim)}"),
        (
            bound.epsilon,
            {"color": INK, "lw": 1.1, "ls": (0, (1, 1.6))},
            f"shown by the audit: ε ≥ {lower(bound.epsilon, claim)}",
        ),
    ]
    for value, style, _ in lines:
        axes.axhline(value, **style)
    ticks = [tick for tick in _PERCENT if tick >= 90 * min((prefix.share for prefix in found), default=0.01)]
    axes.set(xscale="log", xlabel="most confident guesses (% of all, log scale)", ylabel="ε shown", ylim=(0, None))
    axes.set_xticks(ticks, labels=[parameter(tick) for tick in ticks])
    axes.set_xticks([], minor=True)
    handles = [line_handle(color=_BASE, marker="o", ms=4.5), *(line_handle(**style) for _, style, _ in lines)]
    legend_above(drawn, handles, ["one prefix alone", *(name for *_, name in lines)], columns=3)
    return drawn


def wealth(bets: Bets, result: AuditResult) -> Sketch:
    """What was won by betting against the claim, after every training."""
    enough = 1 / result.finding.bound.alpha
    drawn = sketch(
        6.4,
        3.7,
        caption="The wealth after each bet on a guess. It starts at 1, and the odds are fair or worse if the claim "
        f"is true. The claim is refuted as soon as the wealth is above {measurement(enough)}.",
        x="trainings",
        y="wealth against the claim",
    )
    axes = drawn.figure.subplots()
    grid_lines(axes)
    trainings = bets.learned + np.arange(1, bets.counted + 1)
    won = np.exp(log_wealth(bets, result.claim, result.finding.bound.steps))
    axes.plot(trainings, won, color=_BASE, lw=1.3)
    shown = np.unique(np.linspace(0, bets.counted - 1, 60).astype(int))
    right = np.cumsum(bets.right)
    says = [
        f"after {count(int(trainings[i]))} trainings\n{count(int(right[i]))} of {count(int(i) + 1)} guesses correct\n"
        f"wealth {measurement(float(won[i]))}"
        for i in shown
    ]
    drawn.mark(axes, [(float(trainings[i]), float(won[i])) for i in shown], says, marker="o", ms=3, color=_BASE)
    axes.axhline(enough, color=_NEIGHBOUR, lw=1.3, ls=(0, (5, 3)))
    axes.set(yscale="log", xlabel="trainings", ylabel="wealth (log scale)")
    handles = [line_handle(color=_BASE, lw=1.3), line_handle(color=_NEIGHBOUR, lw=1.3, ls=(0, (5, 3)))]
    legend_above(drawn, handles, ["wealth", f"enough to refute the claim: {measurement(enough)}"], columns=2)
    return drawn


def arms(names: tuple[str, str], rates: tuple[tuple[int, int], tuple[int, int]]) -> Sketch:
    """How often the output fell into S, on either side."""
    drawn = sketch(
        6.4, 2.4, caption="How often the output of fresh trainings fell into the set S.", x="%", y="share in S"
    )
    axes = drawn.figure.subplots()
    for position, (name, (hits, trials)) in enumerate(zip(names, rates, strict=True)):
        colour = _BASE if name == "D" else _NEIGHBOUR
        share = 100 * hits / trials
        axes.barh(position, share, height=0.55, color=colour)
        axes.text(share + 1, position, f"{percent(hits / trials)}: {count(hits)} of {count(trials)}", va="center")
        drawn.points.append(Point("", name, share, hits, hits, hits, trials))
    axes.set_yticks([0, 1], labels=[f"on {name}" for name in names])
    axes.set(xlabel="trainings in S (%)", xlim=(0, 128), ylim=(1.6, -0.6))
    axes.set_xticks([0, 20, 40, 60, 80, 100])
    return drawn
