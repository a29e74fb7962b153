"""The figures to reach: mean bounds from 2 000 trainings (the table is in docs/power.md)."""

from collections.abc import Mapping

import numpy as np
import pytest
from shifted_laplace import PAIR, ShiftedLaplace

from mlaudit import audit
from mlaudit.classifiers.logistic import Logistic
from mlaudit.procedures.progressive import Progressive
from mlaudit.procedures.two_phase import TwoPhase
from mlaudit.protocols import Procedure
from mlaudit.types.arrays import FloatArray

pytestmark = [pytest.mark.statistical, pytest.mark.slow]

EPSILONS = (0.5, 1.0, 2.0, 4.0)
PROGRESSIVE = {1: (0.372, 0.859, 1.81, 3.55), 10: (0.288, 0.813, 1.78, 3.49)}
PAPER = {1: (0.243, 0.696, 1.61, 3.10), 10: (0.159, 0.657, 1.60, 3.08)}
REPETITIONS = 16
# Deviations of a bound by column, of 60 audits and rounded up: if they are known, fewer repetitions tell as much.
PROGRESSIVE_SPREAD = {1: {0.5: 0.075, 2.0: 0.085}, 10: {1.0: 0.09, 4.0: 0.2}}
PAPER_SPREAD = {1: {0.5: 0.14, 2.0: 0.175}, 10: {1.0: 0.205, 4.0: 0.205}}


def taken(table: Mapping[int, tuple[float, ...]], d: int) -> list[tuple[float, float]]:
    """Every other column, and the others in the other dimension: benchmarks/power.py measures all."""
    return list(zip(EPSILONS, table[d], strict=True))[d == 10 :: 2]


def bounds(procedure: Procedure, epsilon: float, d: int) -> FloatArray:
    mechanism = ShiftedLaplace(epsilon, d)
    runs = (
        audit(mechanism, pair=PAIR, procedure=procedure, trainings=2000, seed=seed) for seed in range(REPETITIONS)
    )
    return np.array([result.epsilon_lower for result in runs])


@pytest.mark.parametrize("d", [1, 10])
def test_progressive_reaches_the_table(d: int) -> None:
    for epsilon, mean in taken(PROGRESSIVE, d):
        found = bounds(Progressive((Logistic(),)), epsilon, d)
        # Fails for a correct program with probability < 1e-4: 5.2 standard errors, one for the table, four times.
        assert found.mean() >= mean - 5.2 * PROGRESSIVE_SPREAD[d][epsilon] / np.sqrt(REPETITIONS)


@pytest.mark.parametrize("d", [1, 10])
def test_two_phase_reproduces_the_papers_row(d: int) -> None:
    for epsilon, mean in taken(PAPER, d):
        found = bounds(TwoPhase.as_in_the_paper(), epsilon, d)
        # Beyond the noise of both tables: out-of-fold scores choose a little better than the paper's own.
        # Fails for a correct program with probability < 2e-4: 5.2 standard errors, one for the table, four times.
        assert abs(found.mean() - mean) <= 0.03 + 5.2 * PAPER_SPREAD[d][epsilon] / np.sqrt(REPETITIONS)
