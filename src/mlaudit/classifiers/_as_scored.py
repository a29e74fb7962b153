"""The scorer of outputs that are scores already."""

from dataclasses import dataclass

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import FloatArray
from mlaudit.types.draws import Draws


@dataclass(frozen=True)
class AsScored:
    """Return the one number of each output; higher means that label 1 is more likely.

    >>> AsScored()(Draws([1, 0], [[2.0], [-1.0]])).tolist()
    [2.0, -1.0]
    """

    def __call__(self, draws: Draws) -> FloatArray:
        """One score per draw."""
        if draws.z.shape[1] != 1 or np.isnan(draws.z).any():
            raise InvalidInput(
                f"there must be one score for each canary, got outputs of {draws.z.shape[1]} numbers or NaN; return "
                "one number each, or use progressive"
            )
        return np.asarray(draws.z[:, 0])
