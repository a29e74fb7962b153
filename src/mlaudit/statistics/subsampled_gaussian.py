"""The composed Poisson-subsampled Gaussian mechanism: the ε of a whole training from the noise of one step.

Needs dp-accounting (extra `dpsgd`). Its privacy loss distributions are exact up to the width of their grid.
"""

from functools import cache

import numpy as np

from mlaudit.errors import MissingExtra
from mlaudit.statistics.roots import crossing
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import real, whole

# Cells of the grid of privacy losses. Rounding errs on the safe side; "connect the dots" needs fewer cells.
_CELLS = {False: 20_000, True: 4_000}
_TOLERANCE = 1e-4
_LEAST_NOISE, _MOST_NOISE = 0.05, 1e4
_NEGLIGIBLE = 1e-12  # an ε


@cache
def epsilon_of(mu: float, rate: float, steps: int, delta: float, *, rounded_up: bool) -> float:
    """Return the ε at δ of `steps` Poisson-subsampled Gaussian steps; μ is sensitivity over noise.

    `rate` is the probability that a row takes part in a step.
    Use `rounded_up=False` for a lower bound and True for a claim. The neighbour relation is add-remove.

    >>> epsilon_of(0.0, 0.1, 100, 1e-5, rounded_up=False)
    0.0
    """
    real("rate", rate, 0, 1 + 1e-12)
    whole("steps", steps, 1)
    if mu <= 0.0:
        return 0.0
    try:
        from dp_accounting.pld import privacy_loss_distribution  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("dp-accounting", "dpsgd") from None
    reach = mu * (mu + 10.0) / 2.0  # losses lie within some ten deviations
    one = privacy_loss_distribution.from_gaussian_mechanism(
        standard_deviation=1.0 / mu,
        sampling_prob=rate,
        pessimistic_estimate=rounded_up,
        use_connect_dots=rounded_up,
        value_discretization_interval=reach / _CELLS[rounded_up],
    )
    return float(one.self_compose(steps).get_epsilon_for_delta(delta))


@cache
def noise_multiplier(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """Return the smallest noise, in units of the clipping norm, whose ε at δ is at most `epsilon`."""

    def excess(noise: FloatArray) -> FloatArray:
        found = epsilon_of(1.0 / float(noise[0]), rate, steps, delta, rounded_up=True)
        return np.log([max(found, _NEGLIGIBLE) / epsilon])

    low, high = np.full(1, _LEAST_NOISE), np.ones(1)
    while excess(high)[0] > 0.0 and high[0] < _MOST_NOISE:
        low, high = high, 2.0 * high
    # The crossing is the last noise that is too little, within the tolerance.
    return float(crossing(excess, low, high, _TOLERANCE)[0]) + _TOLERANCE
