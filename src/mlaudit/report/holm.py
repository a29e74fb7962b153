"""Holm's correction: which violations are left when all cells are asked at once.

Each p-value is that of the claimed ε itself, recomputed from the counts that were kept. Cells that are no violation
at their own α cannot become one by a correction: they are not recomputed, but they are counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.special import expit, ndtr

from mlaudit import gaussian_dp, nested_scan, one_run_guesses
from mlaudit.intervals import exact
from mlaudit.intervals._binomial import tail
from mlaudit.privacy import group_delta
from mlaudit.report.cells import Cell

_CLEAR = 1e-9  # where the bound on a scan's p-value is so small, the p-value itself is not worth its time
_GAMMA_SHARE = 1e-6  # of the strictest level that Holm can ask for


@dataclass(frozen=True)
class Family:
    """All cells together: how many tests, at which level, and the p-values of the violations by place."""

    tests: int
    alpha: float
    plain: Mapping[int, float]
    adjusted: Mapping[int, float]
    unknown: int

    def stands(self, place: int) -> bool:
        """Whether the violation at that place is left."""
        return self.adjusted.get(place, 1.0) <= self.alpha

    @property
    def left(self) -> int:
        """How many violations are left."""
        return sum(map(self.stands, self.adjusted))


def family(cells: Sequence[Cell]) -> Family:
    """Holm over every audit among the cells, at the smallest of their α."""
    tested = [cell for cell in cells if cell.audited]
    alpha = min((cell.alpha for cell in tested if cell.alpha), default=0.05)
    gamma = _GAMMA_SHARE * alpha / max(len(tested), 1)
    suspects = [place for place, cell in enumerate(cells) if cell.audited and cell.verdict == "violation"]
    found = {place: p_value(cells[place], gamma) for place in suspects}
    plain = {place: p for place, p in found.items() if p is not None}
    return Family(len(tested), alpha, plain, adjusted(plain, len(tested)), len(found) - len(plain))


def adjusted(plain: Mapping[int, float], tests: int) -> dict[int, float]:
    """Holm's adjusted p-values of some of `tests` hypotheses, none of the others having a smaller p-value.

    >>> adjusted({7: 0.01, 3: 0.04, 5: 0.03}, 4)
    {7: 0.04, 5: 0.09, 3: 0.09}
    """
    found, highest = {}, 0.0
    for rank, place in enumerate(sorted(plain, key=lambda place: (plain[place], place))):
        highest = max(highest, min(1.0, (tests - rank) * plain[place]))
        found[place] = highest
    return found


def p_value(cell: Cell, gamma: float) -> float | None:
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
            return _accuracy(counts, cell, epsilon)
        if "correct" in counts:
            return _scan(counts, cell, epsilon)
        return _arms(counts, cell, epsilon, gamma)
    except (KeyError, TypeError, ValueError):
        return None  # counts of a kind that this version does not know


def _scan(counts: Mapping[str, Any], cell: Cell, epsilon: float) -> float:
    """The scan's own p-value; where K times the rarest look's is tiny, that: it cannot be less than the scan's."""
    correct, guesses, free = counts["correct"], counts["guesses"], int(counts.get("allowance", 0))
    if counts.get("canaries"):
        about = int(correct[-1]), int(guesses[-1]), int(counts["canaries"])
        return one_run_guesses.pvalue(*about, epsilon, delta=cell.delta, steps=cell.steps)
    if not cell.delta:
        looks = len(guesses)
        bound = looks * float(tail(correct, guesses, float(expit(cell.steps * epsilon))).min())
        if bound < _CLEAR:
            return bound
    return nested_scan.pvalue(correct, guesses, epsilon, delta=cell.delta, steps=cell.steps, allowance=free)


def _accuracy(counts: Mapping[str, Any], cell: Cell, epsilon: float) -> float | None:
    """Under the claimed μ no guess is right more often than Φ(kμ/2)."""
    if cell.assuming != "Gaussian DP" or not cell.gaussian:
        return None
    mu = float(gaussian_dp.mu_of(epsilon, cell.delta))
    return float(tail(counts["correct"][-1], counts["guesses"][-1], float(ndtr(cell.steps * mu / 2))))


def _arms(counts: Mapping[str, Any], cell: Cell, epsilon: float, gamma: float) -> float:
    """The exact unconditional test of p₁ ≤ e^{kε} p₀ + δ_k, whichever interval the audit used."""
    hits, false_hits = int(counts["hits"]), int(counts["false_hits"])
    trials, false_trials = int(counts["trials"]), int(counts["false_trials"])
    delta = float(group_delta(epsilon, cell.delta, cell.steps))
    return exact.pvalue(hits, false_hits, trials, false_trials, cell.steps * epsilon, delta, gamma)
