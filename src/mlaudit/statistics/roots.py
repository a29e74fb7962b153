"""Find roots: of smooth functions, of yes-or-no questions about ε, and of questions about whole numbers."""

from collections.abc import Callable
from math import inf

import numpy as np

from mlaudit.types.arrays import BoolArray, FloatArray, IntArray

_FIRST_LOOK = 1e-3  # of a bound: how far below it the first p-value is taken
_NARROW = 1e-7


def crossing(
    margin: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
    tolerance: float = 1e-10,
) -> FloatArray:
    """Return, within `tolerance`, the last points at which a decreasing `margin` is still not negative.

    Elementwise, given margin(low) ≥ 0 > margin(high). This is the ITP method (Oliveira and Takahashi 2020): secant
    speed where the function is smooth, and never more than one evaluation above bisection where it jumps, as
    p-values do. A value that is not finite only costs a halving.

    >>> crossing(lambda x: 2.0 - x * x, np.array([0.0]), np.array([2.0])).round(6)
    array([1.414214])
    """
    low, high = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    width = high - low
    if not np.any(width > tolerance):
        return low
    at_low, at_high = margin(low), margin(high)
    widest = float(np.max(width, initial=0.0))
    halvings = int(np.ceil(np.log2(max(widest / tolerance, 1.0)))) + 1
    for remaining in range(halvings, 0, -1):
        if not np.any(high - low > tolerance):
            break
        point = _itp_point(low, high, at_low, at_high, tolerance * 2.0 ** (remaining - 1), width)
        value = margin(point)
        keeps = value >= 0.0
        low, at_low = np.where(keeps, point, low), np.where(keeps, value, at_low)
        high, at_high = np.where(keeps, high, point), np.where(keeps, at_high, value)
    return low


def _itp_point(
    low: FloatArray,
    high: FloatArray,
    at_low: FloatArray,
    at_high: FloatArray,
    reach: float,
    width: FloatArray,
) -> FloatArray:
    """Interpolate, truncate towards the middle, project to within bisection's worst case."""
    middle = (low + high) / 2.0
    with np.errstate(all="ignore"):
        secant = low + (high - low) * at_low / (at_low - at_high)
        nudge = 0.2 * (high - low) ** 2 / width
    secant = np.where(np.isfinite(secant), secant, middle)
    nudge = np.where(np.isfinite(nudge), nudge, 0.0)
    towards = np.sign(middle - secant)
    truncated = np.where(nudge <= np.abs(middle - secant), secant + towards * nudge, middle)
    slack = np.maximum(reach - (high - low) / 2.0, 0.0)
    return np.where(np.abs(truncated - middle) <= slack, truncated, middle - towards * slack)


def largest_refuted(
    is_refuted: Callable[[float], bool],
    first: float,
    *,
    tolerance: float,
    relative: bool = True,
    growth: float = 2.0,
    highest: float = inf,
) -> float:
    """Find the largest ε that is refuted, by bisection over points that depend on the answers alone.

    Plain bisection, and no faster method: where answers flip back and forth near the edge, the fixed points make the
    result independent of rounding in the p-values.

    Args:
        is_refuted: Whether an ε is refuted; true below the edge.
        first: The first upper end. It grows by `growth` until it is not refuted.
        tolerance: Width of the last bracket.
        relative: Whether the tolerance is relative to an upper end above 1.
        growth: Factor between upper ends.
        highest: No upper end beyond the first one that reaches this is tried.

    Returns:
        The lower end of the last bracket; 0 if not even 0 is refuted.

    Example:
        >>> round(largest_refuted(lambda epsilon: epsilon**2 <= 2.0, 0.5, tolerance=1e-6), 5)
        1.41421
    """
    if not is_refuted(0.0):
        return 0.0
    low, high = 0.0, first
    while high < highest and is_refuted(high):
        low, high = high, growth * high
    while high - low > tolerance * (max(1.0, high) if relative else 1.0):
        middle = (low + high) / 2.0
        low, high = (middle, high) if is_refuted(middle) else (low, middle)
    return low


def retreat(pvalue_at: Callable[[float], float], alpha: float, bound: float, *, fall: float, looks: int) -> float:
    """Move a bound down to the first ε that is not refuted, where p-values may fall a little as ε rises.

    A p-value that is exact for every ε may still fall where the set of outcomes changes that are as rare as the
    observed one. A bound is valid if every ε below it is refuted. So p-values are taken below the bound, as far down
    as they are near alpha.

    Args:
        pvalue_at: The p-value of an ε; it rises, apart from small falls.
        alpha: The level.
        bound: An ε that is refuted, or the edge of such.
        fall: The largest share by which a p-value lies below that of a smaller ε.
        looks: The number of p-values between the bound and where they are no longer near alpha.

    Returns:
        The bound, or the last ε before the first that is not refuted.

    Example:
        >>> wave = lambda e: 0.05 * (0.5 + e + 0.1 * (0.4 < e < 0.45))
        >>> [round(retreat(wave, 0.05, bound, fall=0.25, looks=16), 3) for bound in (0.5, 0.39)]
        [0.4, 0.39]
    """
    if bound <= 0.0:
        return bound
    near, depth = alpha * (1.0 - fall), _FIRST_LOOK * bound
    while depth < bound and pvalue_at(bound - depth) > near:
        depth *= 2.0
    lowest = bound - min(depth, bound)
    points = [lowest + (bound - lowest) * step / looks for step in range(looks)]
    above = next((at for at, point in enumerate(points) if pvalue_at(point) > alpha), None)
    if above is None:
        return bound
    if above == 0:
        return 0.0
    low, high = points[above - 1], points[above]
    while high - low > _NARROW:
        middle = (low + high) / 2.0
        low, high = (low, middle) if pvalue_at(middle) > alpha else (middle, high)
    return low


def smallest_reached(short: IntArray, enough: IntArray, is_reached: Callable[[IntArray], BoolArray]) -> IntArray:
    """Find the smallest whole numbers, elementwise, at which a condition holds that stays true from there on.

    Args:
        short: Numbers at which it does not hold.
        enough: Larger numbers at which it holds, or which stand for "nowhere".
        is_reached: Tests the condition at numbers from `short` on and below `enough`.

    Returns:
        The smallest numbers above `short` at which it holds; `enough` if it holds at none below.

    Example:
        >>> smallest_reached(np.array([0, 0]), np.array([10, 3]), lambda n: n * n >= 20)
        array([5, 3])
    """
    while np.any(enough - short > 1):
        middle = (short + enough) // 2
        reached = is_reached(middle)
        short, enough = np.where(reached, short, middle), np.where(reached, middle, enough)
    return enough
