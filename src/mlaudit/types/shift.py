"""The shift from D′ to D, as trainings with common seeds show it."""

from dataclasses import dataclass, replace

import numpy as np

from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.quantiles import find_quantiles

_FEWEST, _MOST_NUMBERS = 1000, 1_000_000  # outputs and numbers that are looked at together


@dataclass(frozen=True, eq=False)
class PooledOutputs:
    """Outputs of both labels together, coordinate by coordinate.

    Attributes:
        center: The median.
        size: The mean absolute deviation from it.
        deviation: The standard deviation.
        count: How many outputs there are.
    """

    center: FloatArray
    size: FloatArray
    deviation: FloatArray
    count: int

    def at(self, columns: IntArray) -> "PooledOutputs":
        """The same of these columns."""
        return PooledOutputs(self.center[columns], self.size[columns], self.deviation[columns], self.count)


@dataclass(frozen=True, eq=False)
class PairedShift:
    """The shift of each coordinate of an output from D′ to D, and how much it varies between common seeds.

    Attributes:
        kind: The kind of output that it describes.
        shift: Of each coordinate; 0 if it is unknown.
        spread: The mean absolute deviation of the shift between seeds; 0 where noise is simply added.
        pairs: How many pairs of trainings have shown it.
        pooled: Outputs whose labels need not be known, if there are any.
    """

    kind: str
    shift: FloatArray
    spread: FloatArray
    pairs: int
    pooled: PooledOutputs | None = None

    def at(self, columns: IntArray) -> "PairedShift":
        """The shift of these columns.

        >>> PairedShift("", np.array([0.0, 2.0]), np.zeros(2), 4).at(np.array([1])).shift
        array([2.])
        """
        pooled = None if self.pooled is None else self.pooled.at(columns)
        return replace(self, shift=self.shift[columns], spread=self.spread[columns], pooled=pooled)

    @property
    def enough(self) -> int:
        """How many outputs are looked at together, at most: fewer if they are long."""
        return max(_FEWEST, _MOST_NUMBERS // max(len(self.shift), 1))

    def among(self, outputs: FloatArray) -> "PairedShift":
        """The same shift, and what finite outputs show whatever their labels.

        >>> PairedShift("", np.ones(1), np.zeros(1), 4).among(np.array([[1.0], [2.0], [9.0]])).pooled.center
        array([2.])
        """
        if outputs.shape[1] < len(self.shift):
            return self
        few = outputs[: self.enough, : len(self.shift)]
        few = few[np.isfinite(few).all(axis=1)]
        if not len(few):
            return self
        (center,) = find_quantiles(few, (0.5,))
        size = np.abs(few - center).mean(axis=0)
        return replace(self, pooled=PooledOutputs(center, size, few.std(axis=0), len(few)))
