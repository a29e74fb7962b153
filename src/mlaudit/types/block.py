"""A run of trainings of one arm, as a worker returns it and a store keeps it."""

from dataclasses import dataclass

from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Kinds


@dataclass(frozen=True, eq=False)
class Block:
    """Outputs of consecutive trainings: vectors (rows filled up with NaN), their true lengths, their kinds.

    `error` is the traceback of the first exception among them; the seconds are what they cost. None of these takes
    part in any number.
    """

    z: FloatArray
    lengths: IntArray
    kinds: Kinds
    error: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.z)
