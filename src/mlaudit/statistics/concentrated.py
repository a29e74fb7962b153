"""Zero-concentrated differential privacy (zCDP): ρ, and the ε that it gives at a δ."""

from math import inf, log

import numpy as np


def epsilon_of(rho: float, delta: float) -> float:
    """Return an ε at which a ρ-zCDP mechanism is (ε, δ)-DP (Canonne, Kamath and Steinke 2020, proposition 12).

    Args:
        rho: The ρ. ρ of several mechanisms add up.
        delta: The δ, between 0 and 1.

    Returns:
        The least ε over all orders of the Rényi divergence; at most ρ + 2 √(ρ ln(1/δ)).

    Example:
        >>> round(epsilon_of(0.5, 1e-5), 3), epsilon_of(0.0, 1e-5)
        (4.728, 0.0)
    """
    if rho <= 0.0 or not np.isfinite(rho):
        return 0.0 if rho <= 0.0 else inf

    def bound(log_order: float) -> float:
        beyond = float(np.exp(log_order))  # the order, less one
        order = 1.0 + beyond
        return rho * order + (log(1.0 / delta) + beyond * log(beyond / order) - log(order)) / beyond

    from scipy.optimize import minimize_scalar  # noqa: PLC0415 - a fifth of a second, which other claims are spared

    found = minimize_scalar(bound, bounds=(-10.0, 20.0), method="bounded", options={"xatol": 1e-9})
    return max(0.0, float(found.fun))
