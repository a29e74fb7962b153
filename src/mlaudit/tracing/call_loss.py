"""The loss of one noise call, and what several calls cost together."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, floor, inf, isfinite, log, log10, sqrt

from mlaudit.statistics import subsampled_gaussian
from mlaudit.statistics.concentrated import epsilon_of as epsilon_of_rho
from mlaudit.statistics.gaussian_dp import epsilon_of

ABOVE = 1e-6  # relative difference by which a sum of floating-point numbers must be above a limit
_NEGLIGIBLE = 1e-12  # a δ
_DIGITS = 4  # of a μ: so that the accountant is asked rarely


@dataclass(frozen=True)
class CallLoss:
    """The loss of one call: `pure` and `rho` add up over calls, and so does the square of `mu` (Gaussian noise).

    Args:
        pure: The largest log-ratio of the probabilities of any answer.
        mu: Difference over standard deviation, of Gaussian noise.
        rho: Zero-concentrated loss (zCDP), of a mechanism that states it.
        delta: The part of δ that the call spends, beside `pure`.
        moved: How far the value before the noise moved: by the Euclidean norm for Gaussian noise, otherwise summed
            over its numbers.
        known: Whether the law of the noise is one whose loss is known.
        scale_moved: Whether the law of the noise itself depends on the data.
        shared: Whether one draw was added to values that moved differently.
        step: The number of the step of a training whose batch was drawn at random, else -1.
        rate: The probability with which a row joins that batch.
        slack: Relative part of the loss that rounding may have made.
    """

    pure: float = 0.0
    mu: float = 0.0
    rho: float = 0.0
    delta: float = 0.0
    moved: float = 0.0
    known: bool = True
    scale_moved: bool = False
    shared: bool = False
    step: int = -1
    rate: float = 1.0
    slack: float = ABOVE

    def epsilon(self, delta: float) -> float:
        """The ε of this call alone, at that δ."""
        return total_epsilon([self], delta)


def total_epsilon(losses: Sequence[CallLoss], delta: float) -> float:
    """The ε of all calls together at that δ; infinity if Gaussian noise meets δ = 0.

    Steps on random batches are counted as Poisson-subsampled Gaussian steps, each with the largest move that was
    seen. Where several parts need δ, each gets the same share.

    >>> total_epsilon([CallLoss(0.5), CallLoss(0.25)], 0.0)
    0.75
    >>> round(total_epsilon([CallLoss(mu=0.6), CallLoss(mu=0.8)], 1e-5), 3)  # μ = 1
    4.377
    >>> round(total_epsilon([CallLoss(rho=0.25), CallLoss(rho=0.25)], 1e-5), 3)
    4.728
    """
    pure = sum(loss.pure for loss in losses)
    whole = [loss for loss in losses if loss.rate >= 1.0]
    mu, rho = sum(loss.mu**2 for loss in whole), sum(loss.rho for loss in whole)
    sampled = {rate: found for rate, found in _sampled_steps(losses).items() if found[0]}
    left = delta - sum(loss.delta for loss in losses)
    if left < -_NEGLIGIBLE:
        return inf
    parts = bool(mu or rho) + len(sampled)
    if not parts:
        return _spend(pure, max(left, 0.0))
    if left <= 0 or not isfinite(mu) or not isfinite(rho):
        return inf
    share = left / parts
    if mu or rho:
        pure += epsilon_of_rho(rho + mu / 2.0, share) if rho else float(epsilon_of(sqrt(mu), share))
    return pure + sum(_epsilon_of_steps(found, rate, steps, share) for rate, (found, steps) in sampled.items())


def _spend(pure: float, delta: float) -> float:
    """The ε at δ of a mechanism with a pure ε: that of randomised response, which leaks most of all such.

    >>> round(_spend(1.0, 0.0), 3), round(_spend(1.0, 0.01), 3)
    (1.0, 0.986)
    """
    if not delta or not isfinite(pure):
        return pure
    rest = 1.0 - delta * (1.0 + exp(-pure))
    return max(0.0, pure + log(rest)) if rest > 0 else 0.0


def _sampled_steps(losses: Sequence[CallLoss]) -> dict[float, tuple[float, int]]:
    """For each rate of random batches: the largest μ of a step, and the number of steps."""
    squares: dict[tuple[float, int], float] = {}
    for loss in losses:
        if loss.rate < 1.0:
            key = (loss.rate, loss.step)
            squares[key] = squares.get(key, 0.0) + loss.mu**2
    rates = {rate for rate, _ in squares}
    mine = {rate: [square for (one, _), square in squares.items() if one == rate] for rate in sorted(rates)}
    return {rate: (sqrt(max(found)), len(found)) for rate, found in mine.items()}


def _epsilon_of_steps(mu: float, rate: float, steps: int, delta: float) -> float:
    if not isfinite(mu):
        return inf
    cell = 10.0 ** (floor(log10(mu)) + 1 - _DIGITS)
    return subsampled_gaussian.epsilon_of(floor(mu / cell) * cell, rate, steps, delta, rounded_up=False)
