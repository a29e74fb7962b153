"""A run of trainings of one stream, as a worker returns it and a store keeps it."""

from collections import Counter
from dataclasses import dataclass, field

from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Kinds


@dataclass(frozen=True, eq=False)
class Block:
    """Outputs of consecutive trainings: vectors (rows filled up with NaN), their true lengths, their kinds.

    `error` is the traceback of the first exception among them; the seconds are what they cost; `notices` counts the
    learner's warnings. None of these takes part in any number.
    """

    z: FloatArray
    lengths: IntArray
    kinds: Kinds
    error: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    notices: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        return len(self.z)
