"""The shift from D′ to D, learned from pairs of trainings with common seeds.

Where noise is simply added, two trainings with the same seed differ by the shift alone: a few pairs show it exactly,
where thousands of labelled trainings give an estimate. Pairs are pilots. They never count, and their seeds are those
of no counted training.
"""

import numpy as np

from mlaudit.drawing.outcome import kinds_of
from mlaudit.drawing.pilots import Pilots
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block
from mlaudit.types.pair import Pair
from mlaudit.types.shift import PairedShift

_FIRST = 4  # pairs that show whether noise is simply added; then they are enough
_EXACT = 1e-9  # relative size up to which a deviation is rounding
_LOOSE = 1.0  # spread of the shift, in units of the noise, from which on common seeds share no noise
_ERROR = 1.57  # standard error of a median, in mean absolute deviations of one value


def learn_shift(pilots: Pilots, mechanism: Mechanism, pair: Pair, most: int) -> PairedShift | None:
    """Draw a few pairs of trainings with common seeds, and more if noise is not simply added.

    Args:
        pilots: Draws the trainings and counts what they cost.
        mechanism: The learner.
        pair: D and D′.
        most: The largest number of pairs.

    Returns:
        The shift; None if common seeds do not show any.
    """
    found = None
    for count in dict.fromkeys((min(_FIRST, most), most)):
        base, neighbour = pilots.draw([(stream, count) for stream in pilots.streams(mechanism, pair)])
        found = shift_between(base, neighbour)
        if found is not None and not found.spread.any():
            break
    return found


def shift_between(base: Block, neighbour: Block) -> PairedShift | None:
    """Return the median difference of outputs with common seeds; None if they differ as much as without.

    >>> from mlaudit.drawing.outcome import pack_rows
    >>> noise = np.random.default_rng(0).laplace(size=(4, 2))
    >>> one, other = (pack_rows(noise + shift, None, (0.0, 0.0)) for shift in ([3.0, 0.0], [1.0, 0.0]))
    >>> found = shift_between(one, other)
    >>> found.shift.round(6).tolist(), found.spread.tolist()
    ([2.0, 0.0], [0.0, 0.0])
    >>> shift_between(one, pack_rows(noise[::-1], None, (0.0, 0.0))) is None
    True
    """
    kinds = kinds_of(base), kinds_of(neighbour)
    names, counts = np.unique(np.concatenate(kinds), return_counts=True)
    usual = str(names[counts.argmax()])
    both = (kinds[0] == usual) & (kinds[1] == usual)
    if both.sum() < 2:
        return None
    width = min(base.z.shape[1], neighbour.z.shape[1])
    one, other = base.z[both, :width], neighbour.z[both, :width]
    finite = np.isfinite(one).all(axis=0) & np.isfinite(other).all(axis=0)
    one, other = np.where(finite, one, 0.0), np.where(finite, other, 0.0)
    shift, spread = _center_and_spread(one - other)
    rounding = _EXACT * np.maximum(np.abs(one), np.abs(other)).max(axis=0)
    spread = np.where(spread <= rounding, 0.0, spread)
    shift = np.where(np.abs(shift) <= rounding, 0.0, shift)
    noise = np.minimum(*(_center_and_spread(side)[1] for side in (one, other)))
    noisy = noise > rounding
    if not shift.any() or not noisy.any() or float(np.median(spread[noisy] / noise[noisy])) >= _LOOSE:
        return None
    return PairedShift(usual, _shrink(shift, spread, len(one)), spread, len(one))


def _center_and_spread(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The median of each column and the mean absolute deviation from it."""
    center = np.median(values, axis=0)
    return center, np.abs(values - center).mean(axis=0)


def _shrink(shift: FloatArray, spread: FloatArray, pairs: int) -> FloatArray:
    """Shrink each shift by the share of its square that is chance."""
    error = _ERROR * spread / np.sqrt(pairs)
    share = np.divide(error**2, shift**2, out=np.zeros_like(shift), where=shift != 0)
    return np.asarray(shift * np.maximum(0.0, 1.0 - share))
