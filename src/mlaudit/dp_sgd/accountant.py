"""How much noise a claim takes: Opacus' accountant, held against that of dp-accounting.

Both compose Gaussian steps on Poisson batches, for a row added or removed.
"""

import warnings
from functools import lru_cache

from mlaudit.dp_sgd._torch import opacus
from mlaudit.dp_sgd.plan import sampling_rate
from mlaudit.errors import InvalidInput, LibraryDiffers
from mlaudit.subsampled_gaussian import epsilon_of
from mlaudit.types.checks import positive, real, whole

_FINE = 0.01  # of ε: how closely the search comes to it


@lru_cache(maxsize=256)
def noise_multiplier(epsilon: float, delta: float, rate: float, steps: int) -> float:
    """The least noise, over the clipping norm, at which that many steps are (ε, δ)-DP; searched for once."""
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
            f"Opacus must find the noise for ε = {epsilon:g}, δ = {delta:g} in {steps} steps at a rate of {rate:g}, "
            f"got {failed}; give sigma"
        ) from failed
    _held_against(float(found), epsilon, delta, rate, steps)
    return float(found)


def _held_against(sigma: float, epsilon: float, delta: float, rate: float, steps: int) -> None:
    """Two accountants that differ make a claim nobody can audit."""
    other = epsilon_of(1.0 / sigma, rate, steps, delta, rounded_up=True)
    if not 0.9 * epsilon <= other <= 1.01 * epsilon:
        raise LibraryDiffers(
            f"Opacus and dp-accounting must agree on ε for σ = {sigma:g}, rate {rate:g}, {steps} steps, "
            f"δ = {delta:g}, got {epsilon:g} and {other:g}; give sigma"
        )
