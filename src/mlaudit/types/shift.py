"""The shift from D′ to D, as trainings with common seeds show it."""

from dataclasses import dataclass

from mlaudit.types.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PairedShift:
    """The shift of each coordinate of an output from D′ to D, and how much it varies between common seeds.

    Attributes:
        kind: The kind of output that it describes.
        shift: Of each coordinate; 0 if it is unknown.
        spread: The mean absolute deviation of the shift between seeds; 0 where noise is simply added.
        pairs: How many pairs of trainings have shown it.
    """

    kind: str
    shift: FloatArray
    spread: FloatArray
    pairs: int

    def at(self, columns: IntArray) -> "PairedShift":
        """The shift of these columns.

        >>> import numpy as np
        >>> PairedShift("", np.array([0.0, 2.0]), np.zeros(2), 4).at(np.array([1])).shift
        array([2.])
        """
        return PairedShift(self.kind, self.shift[columns], self.spread[columns], self.pairs)
