"""What the calls of a training declare to spend together."""

from collections.abc import Sequence
from math import expm1, inf, log, sqrt

from mlaudit.statistics.concentrated import epsilon_of
from mlaudit.tracing.tape import Declared

_NEGLIGIBLE = 1e-12  # a δ


def compose(calls: Sequence[Declared | None], delta: float) -> float:
    """The ε that declared calls compose to: basic, advanced or zero-concentrated, whichever is least.

    Basic composition adds ε and δ. Advanced composition is theorem 3.5 of Kairouz, Oh and Viswanath (2015). The
    zero-concentrated one adds ρ, which is ε²/2 for a call that declares a pure ε.

    Args:
        calls: What the calls declare; those that declare nothing are left out.
        delta: The claimed δ. The compositions spend what the calls leave of it.

    Returns:
        The ε; infinity if the calls spend more than δ.

    Example:
        >>> compose([Declared("Laplace", 0.5, 0.0), Declared("Laplace", 0.25, 0.0)], 0.0)
        0.75
        >>> round(compose([Declared("Laplace", 0.01, 0.0)] * 1000, 1e-5), 3)
        1.308
        >>> round(compose([Declared("Gaussian", 1.0, 1e-5, rho=0.02)] * 10, 1e-5), 2)  # their δ alone is too much
        2.81
    """
    stated = [one for one in calls if one is not None and (one.epsilon is not None or one.rho is not None)]
    left = delta - sum(one.delta or 0.0 for one in stated)
    found = [_compose_concentrated(stated, delta)]
    if left >= -_NEGLIGIBLE and all(one.epsilon is not None for one in stated):
        epsilons = [one.epsilon or 0.0 for one in stated]
        found += [sum(epsilons), _advanced(epsilons, left) if left > 0 else inf]
    return min(found)


def _compose_concentrated(calls: Sequence[Declared], delta: float) -> float:
    """The ε of the sum of all ρ; infinity if a call has none, as one that spends a δ beside its ε."""
    total = 0.0
    for one in calls:
        if one.rho is None and (one.epsilon is None or one.delta):
            return inf
        total += one.rho if one.rho is not None else (one.epsilon or 0.0) ** 2 / 2.0
    spent = sum(one.delta or 0.0 for one in calls if one.epsilon is None)  # a δ beside a ρ
    return epsilon_of(total, delta - spent) if delta > spent else 0.0 if total == 0 else inf


def _advanced(epsilons: list[float], delta: float) -> float:
    """In its simplest form."""
    drift = sum(e * expm1(e) / (expm1(e) + 2.0) for e in epsilons)
    return drift + sqrt(2.0 * log(1.0 / delta) * sum(e * e for e in epsilons))
