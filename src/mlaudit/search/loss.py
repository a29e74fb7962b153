"""The privacy loss that the pilots of a pair show: where outputs are few and jump, a shift does not imply a loss."""

import numpy as np

from mlaudit.drawing.outcome import kinds_of
from mlaudit.search.distance import repeated_values
from mlaudit.search.score import mean_shifts, noise_scale, paired_outputs, spread_shifts
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block


def cautious_loss(base: Block, other: Block) -> float:
    """The largest ln(p/q) over some output sets S, with p and q each a standard error on the cautious side.

    The sets are the kinds of output, single values that came more than once, and thresholds of two statistics: the
    weighted sum of all numbers whose mean shifted, and of the squares of those whose spread changed. It is 0 if no
    set shows a loss.

    >>> from mlaudit.drawing.outcome import pack_rows
    >>> noise = np.random.default_rng(0).laplace(size=(4000, 1))
    >>> at = lambda x: pack_rows(x + noise, None, (0.0, 0.0))
    >>> cautious_loss(at(0.0), at(0.0)), 0.5 < cautious_loss(at(0.0), at(2.0)) < 5 < cautious_loss(at(0.0), at(9.0))
    (0.0, True)
    """
    # Fails for a correct program with probability < 1e-6: the losses are 2.37 and 8.1, with deviations of 0.4 and
    # 0.26.
    kinds = kinds_of(base), kinds_of(other)
    names = np.unique(np.concatenate(kinds))
    events = [tuple((side == name).astype(float) for side in kinds) for name in names]
    a, b = paired_outputs(base, other)
    if len(b) > 1:
        events += _statistics(a, b) + repeated_values(a, b)
    return max(0.0, *(_largest_loss(*event) for event in events))


def _statistics(a: FloatArray, b: FloatArray) -> list[tuple[FloatArray, FloatArray]]:
    n = len(b)
    noise = noise_scale(a, b)
    units = np.where(noise > 0, noise, 1.0)
    far = mean_shifts(a[:n], b, noise) * np.sign(b.mean(axis=0) - a[:n].mean(axis=0))
    wide = spread_shifts(a[:n], b) * np.sign(b.std(axis=0) - a.std(axis=0))
    middle = (a[:n].mean(axis=0) + b.mean(axis=0)) / 2
    sides = [(side - middle) / units for side in (a, b)]
    return [(sides[0] @ far, sides[1] @ far), (np.square(sides[0]) @ wide, np.square(sides[1]) @ wide)]


def _largest_loss(a: FloatArray, b: FloatArray) -> float:
    """The largest loss over all thresholds, on either side of each, and for either order of D and D′."""
    cuts = np.unique(np.concatenate([a, b]))[1:]
    below = [np.searchsorted(np.sort(side), cuts) / len(side) for side in (a, b)]
    events = [(one, two) for shares in (below, [1 - share for share in below]) for one, two in (shares, shares[::-1])]
    n = min(len(a), len(b))
    return max((float(_cautious_log_ratio(p, q, n).max()) for p, q in events), default=0.0) if cuts.size else 0.0


def _cautious_log_ratio(p: FloatArray, q: FloatArray, n: int) -> FloatArray:
    least = p - np.sqrt(p * (1 - p) / n)
    most = q + np.sqrt(q * (1 - q) / n) + 1 / n
    return np.log(np.maximum(least, 1e-9) / most)
