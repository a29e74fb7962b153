"""The shift from D′ to D, as trainings with common seeds show it."""

from dataclasses import dataclass, replace

import numpy as np

from mlaudit.types.arrays import FloatArray, IntArray

_FEWEST, _MOST_NUMBERS = 1000, 1_000_000  # outputs and numbers that are looked at for the center


@dataclass(frozen=True, eq=False)
class PairedShift:
    """The shift of each coordinate of an output from D′ to D, and how much it varies between common seeds.

    Attributes:
        kind: The kind of output that it describes.
        shift: Of each coordinate; 0 if it is unknown.
        spread: The mean absolute deviation of the shift between seeds; 0 where noise is simply added.
        pairs: How many pairs of trainings have shown it.
        center: The median of outputs of both labels, together; None if it is unknown.
        outputs: How many outputs have shown the center.
    """

    kind: str
    shift: FloatArray
    spread: FloatArray
    pairs: int
    center: FloatArray | None = None
    outputs: int = 0

    def at(self, columns: IntArray) -> "PairedShift":
        """The shift of these columns.

        >>> PairedShift("", np.array([0.0, 2.0]), np.zeros(2), 4).at(np.array([1])).shift
        array([2.])
        """
        center = None if self.center is None else self.center[columns]
        return replace(self, shift=self.shift[columns], spread=self.spread[columns], center=center)

    def about(self, outputs: FloatArray) -> "PairedShift":
        """The same shift, and the center that outputs show, whatever their labels.

        >>> PairedShift("", np.ones(1), np.zeros(1), 4).about(np.array([[1.0], [2.0], [9.0]])).center
        array([2.])
        """
        if outputs.shape[1] < len(self.shift) or not len(outputs):
            return self
        few = outputs[: max(_FEWEST, _MOST_NUMBERS // len(self.shift)), : len(self.shift)]
        return replace(self, center=np.median(few, axis=0), outputs=len(few))
