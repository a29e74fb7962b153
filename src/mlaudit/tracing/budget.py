"""What the calls of a training declare to spend together."""

from collections.abc import Sequence
from math import expm1, inf, log, sqrt

from mlaudit.tracing.tape import Declared


def compose(calls: Sequence[Declared | None], delta: float) -> float:
    """The ε that declared calls compose to, by basic or by advanced composition, whichever is less.

    Args:
        calls: What the calls declare; those that declare nothing are left out.
        delta: The claimed δ. Advanced composition spends what the calls leave of it.

    Returns:
        The ε; infinity if the calls spend more than δ.

    Example:
        >>> compose([Declared("Laplace", 0.5, 0.0), Declared("Laplace", 0.25, 0.0)], 0.0)
        0.75
        >>> round(compose([Declared("Laplace", 0.01, 0.0)] * 1000, 1e-5), 3)
        1.567
    """
    stated = [one for one in calls if one is not None and one.epsilon is not None]
    basic = sum(one.epsilon or 0.0 for one in stated)
    left = delta - sum(one.delta or 0.0 for one in stated)
    if left < -1e-12:
        return inf
    return min(basic, _advanced([one.epsilon or 0.0 for one in stated], left)) if left > 0 else basic


def _advanced(epsilons: list[float], delta: float) -> float:
    """Kairouz, Oh and Viswanath (2015), theorem 3.5, in its simplest form."""
    drift = sum(e * expm1(e) / (expm1(e) + 2.0) for e in epsilons)
    return drift + sqrt(2.0 * log(1.0 / delta) * sum(e * e for e in epsilons))
