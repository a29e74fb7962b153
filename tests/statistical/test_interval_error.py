"""The true one-sided error of each interval at nominal .05, by enumeration of every pair of counts."""

import numpy as np
import pytest
from scipy.special import bdtr

from mlaudit.intervals.clopper_pearson import ClopperPearson
from mlaudit.intervals.exact import Exact, pvalue
from mlaudit.intervals.katz_log import KatzLog
from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

pytestmark = [pytest.mark.statistical, pytest.mark.slow]

ALPHA = 0.05
EPSILONS = (0.0, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)


def masses(N: int, p: FloatArray) -> FloatArray:
    """Bin(N, p) for each p, a row each."""
    below = bdtr(np.arange(N + 1), N, p[:, None])
    return np.diff(below, axis=1, prepend=0.0)


def p0_grid(N: int, epsilon: float) -> FloatArray:
    """Even in arcsine scale, two points to a standard deviation of the count."""
    angles = np.linspace(0.0, np.pi / 2.0, int(2.5 * np.pi * np.sqrt(N)))[1:]
    return np.asarray(np.sin(angles) ** 2 * np.exp(-epsilon))


def worst_error(rejects: BoolArray, N: int, epsilon: float) -> float:
    """The largest P(bound > ε) over p₁ = e^ε p₀; `rejects` is indexed by hits, then false hits."""
    p0 = p0_grid(N, epsilon)
    hits, false_hits = masses(N, np.minimum(np.exp(epsilon) * p0, 1.0)), masses(N, p0)
    return float(((hits @ rejects) * false_hits).sum(axis=1).max())


def worst_of(interval: KatzLog | ClopperPearson | MoverCP, N: int) -> float:
    hits, false_hits = np.arange(N + 1)[:, None], np.arange(N + 1)[None, :]
    bounds = interval.log_ratio(hits, false_hits, N, N, ALPHA)
    return max(worst_error(bounds > epsilon, N, epsilon) for epsilon in EPSILONS)


@pytest.mark.parametrize(
    ("interval", "lowest", "highest"),
    [(KatzLog(), 0.0505, 0.0535), (ClopperPearson(), 0.017, 0.025), (MoverCP(), 0.046, 0.0490)],
    ids=str,
)
@pytest.mark.parametrize("N", [500, 1000])
def test_closed_forms(interval: KatzLog | ClopperPearson | MoverCP, lowest: float, highest: float, N: int) -> None:
    assert lowest < worst_of(interval, N) <= highest


def rejected_by_pvalue(N: int, epsilon: float) -> BoolArray:
    """Where the exact test rejects ε: the fewest hits needed rise with the false hits."""
    gamma, needed, hits = ALPHA * Exact().gamma_share, np.full(N + 1, N + 1), 0
    for false_hits in range(N + 1):
        while hits <= N and pvalue(hits, false_hits, N, N, epsilon, gamma=gamma) > ALPHA:
            hits += 1
        needed[false_hits] = hits
    return above(needed, N)


def rejected_by_bound(N: int, epsilon: float) -> BoolArray:
    """Where the reported bound exceeds ε."""
    needed, hits = np.full(N + 1, N + 1), 0
    for false_hits in range(N + 1):
        while hits <= N and Exact().log_ratio(hits, false_hits, N, N, ALPHA) <= epsilon:
            hits += 1
        needed[false_hits] = hits
    return above(needed, N)


def above(needed: IntArray, N: int) -> BoolArray:
    return np.asarray(np.arange(N + 1)[:, None] >= needed[None, :])


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_exact_pvalue(epsilon: float) -> None:
    assert 0.04 < worst_error(rejected_by_pvalue(150, epsilon), 150, epsilon) <= ALPHA


# At 30 draws and ε = 0.2 the p-value falls from .0513 to .0466: a bound beyond the fall has an error of .0512.
@pytest.mark.parametrize(("draws", "epsilon"), [(30, 0.2), (20, 1.2)])
def test_exact_bound(draws: int, epsilon: float) -> None:
    assert 0.03 < worst_error(rejected_by_bound(draws, epsilon), draws, epsilon) <= ALPHA
