"""The noise multiplier for a claim, by the accountant of Opacus, compared with that of dp-accounting.

Both compose Gaussian steps on Poisson batches under the add-remove relation.
"""

import warnings
from functools import lru_cache

from mlaudit.dp_sgd._torch import opacus
from mlaudit.dp_sgd.plan import sampling_rate
from mlaudit.errors import InvalidInput, LibraryDiffers
from mlaudit.statistics.subsampled_gaussian import epsilon_of
from mlaudit.types.checks import positive, real, whole
from mlaudit.types.numbers import parameter

_FINE = 0.01  # relative error of ε in the search


@lru_cache(maxsize=256)
def noise_multiplier(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """Return the smallest noise, in units of the clipping norm, at which the training is (ε, δ)-DP."""
    positive("epsilon", epsilon)
    real("delta", delta, 0, 1)
    sampling_rate("rate", rate)
    whole("steps", steps, 1)
    opacus()
    from opacus.accountants.utils import get_noise_multiplier  # noqa: PLC0415 - an extra

    error = min(_FINE, _FINE * epsilon)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = get_noise_multiplier(
                target_epsilon=epsilon,
                target_delta=delta,
                sample_rate=rate,
                steps=steps,
                accountant="prv",
                epsilon_tolerance=error,
                eps_error=error,
            )
    except (ValueError, RuntimeError, MemoryError) as failed:
        raise InvalidInput(
            f"Opacus must find the noise for ε = {parameter(epsilon)}, δ = {parameter(delta)} in {steps} steps at a "
            f"rate of {parameter(rate)}, got {failed}; give sigma"
        ) from failed
    _compare_accountants(float(found), epsilon, delta, rate, steps)
    return float(found)


def _compare_accountants(sigma: float, epsilon: float, delta: float, rate: float, steps: int) -> None:
    """Raise if dp-accounting gives another ε for this noise: then the claim itself is in doubt."""
    other = epsilon_of(1.0 / sigma, rate, steps, delta, rounded_up=True)
    if not 0.9 * epsilon <= other <= 1.01 * epsilon:
        raise LibraryDiffers(
            f"Opacus and dp-accounting must agree on ε for σ = {parameter(sigma)}, rate {parameter(rate)}, {steps} "
            f"steps, δ = {parameter(delta)}, got {parameter(epsilon)} and {parameter(other)}; give sigma"
        )
