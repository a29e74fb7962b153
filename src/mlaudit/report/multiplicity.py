"""Holm's correction: which violations are left when all cells are asked at once.

Each p-value is that of the claimed ε itself, recomputed from the counts that were kept. Cells that are no violation
at their own α cannot become one by a correction: they are not recomputed, but they are counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import expit, ndtr

from mlaudit.intervals import exact
from mlaudit.report.cells import CellView
from mlaudit.statistics import gaussian_dp, nested_scan
from mlaudit.statistics import one_run as one_run_guesses
from mlaudit.statistics.binomial import tail
from mlaudit.statistics.group_privacy import group_delta

_CLEAR = 1e-9  # where the bound on a scan's p-value is so small, the p-value itself is not worth its time
_GAMMA_SHARE = 1e-6  # of the strictest level that Holm can ask for


@dataclass(frozen=True)
class Family:
    """All cells together: how many tests, at which level, and the p-values of the violations by position."""

    tests: int
    alpha: float
    plain: Mapping[int, float]
    adjusted: Mapping[int, float]
    unknown: int

    def remains(self, position: int) -> bool:
        """Whether the violation at that position is left."""
        return self.adjusted.get(position, 1.0) <= self.alpha

    @property
    def left(self) -> int:
        """How many violations are left."""
        return sum(map(self.remains, self.adjusted))


def family(cells: Sequence[CellView]) -> Family:
    """Holm over every audit among the cells, at the smallest of their α."""
    tested = [cell for cell in cells if cell.audited]
    alpha = min((cell.alpha for cell in tested if cell.alpha), default=0.05)
    gamma = _GAMMA_SHARE * alpha / max(len(tested), 1)
    suspects = [position for position, cell in enumerate(cells) if cell.violated]
    found = {position: p_value(cells[position], gamma) for position in suspects}
    plain = {position: p for position, p in found.items() if p is not None}
    return Family(len(tested), alpha, plain, adjust_p_values(plain, len(tested)), len(found) - len(plain))


def adjust_p_values(plain: Mapping[int, float], tests: int) -> dict[int, float]:
    """Holm's adjusted p-values of some of `tests` hypotheses, none of the others having a smaller p-value.

    >>> adjust_p_values({7: 0.01, 3: 0.04, 5: 0.03}, 4)
    {7: 0.04, 5: 0.09, 3: 0.09}
    """
    found, highest = {}, 0.0
    for rank, position in enumerate(sorted(plain, key=lambda position: (plain[position], position))):
        highest = max(highest, min(1.0, (tests - rank) * plain[position]))
        found[position] = highest
    return found


def p_value(cell: CellView, gamma: float) -> float | None:
    """The p-value of the claim from a cell's counts; None where no valid one is known.

    `gamma` is what an exact test of two arms may spend on its nuisance; it is fixed by the number of cells alone.
    """
    counts, epsilon = cell.evidence, cell.epsilon
    if epsilon is None or not counts:
        return None
    try:
        if "p_value" in counts:
            return float(counts["p_value"])
        if "correct" in counts and cell.assuming:
            return _accuracy_p_value(counts, cell, epsilon)
        if "correct" in counts:
            return _scan_p_value(counts, cell, epsilon)
        return _arms_p_value(counts, cell, epsilon, gamma)
    except (KeyError, TypeError, ValueError):
        return None  # counts of a kind that this version does not know


def _scan_p_value(counts: Mapping[str, Any], cell: CellView, epsilon: float) -> float:
    """The p-value of the scan; where it is tiny, the number of prefixes times that of the rarest, never less."""
    correct, guesses = counts["correct"], counts["guesses"]
    if counts.get("canaries"):
        about = int(correct[-1]), int(guesses[-1]), int(counts["canaries"])
        return one_run_guesses.pvalue(*about, epsilon, delta=cell.delta, steps=cell.steps)
    if not cell.delta:
        bound = len(guesses) * float(tail(correct, guesses, float(expit(cell.steps * epsilon))).min())
        if bound < _CLEAR:
            return bound
    return nested_scan.pvalue(correct, guesses, epsilon, delta=cell.delta, steps=cell.steps)


def _accuracy_p_value(counts: Mapping[str, Any], cell: CellView, epsilon: float) -> float | None:
    """Under the claimed μ no guess is correct more often than Φ(kμ/2)."""
    if cell.assuming != "Gaussian DP" or not cell.gaussian:
        return None
    mu = float(gaussian_dp.mu_of(epsilon, cell.delta))
    return float(tail(counts["correct"][-1], counts["guesses"][-1], float(ndtr(cell.steps * mu / 2))))


def _arms_p_value(counts: Mapping[str, Any], cell: CellView, epsilon: float, gamma: float) -> float:
    """The exact unconditional test of p₁ ≤ e^{kε} p₀ + δ_k, whichever interval the audit used."""
    hits, false_hits = int(counts["hits"]), int(counts["false_hits"])
    trials, false_trials = int(counts["trials"]), int(counts["false_trials"])
    delta = float(group_delta(epsilon, cell.delta, cell.steps))
    return exact.pvalue(hits, false_hits, trials, false_trials, cell.steps * epsilon, delta, gamma)
