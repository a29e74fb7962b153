"""The task that engines run: stretches of trainings of a few arms."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from mlaudit.arms import Arm
from mlaudit.deaths import Death
from mlaudit.errors import LearnerFailed
from mlaudit.outcomes import Outcome, died, pack
from mlaudit.pieces import Piece
from mlaudit.types.block import Block

Drawn = tuple[int, int, Block]  # which arm, the first place, and the trainings from there on


@dataclass(frozen=True)
class DrawPieces:
    """Draws pieces (arm, start, stop); with `isolate` each training has a process of its own.

    CPU seconds of trainings in the process that made the task are its own, and are reported as 0.
    """

    arms: Sequence[Arm]
    isolate: bool = False
    home: int = field(default_factory=os.getpid)

    def __post_init__(self) -> None:
        # Shipped samplers keep nothing from one batch to the next, and would compile themselves anew in each process.
        if any(arm.batched for arm in self.arms[:1]) and not self.foreign:
            object.__setattr__(self, "isolate", False)

    @property
    def foreign(self) -> bool:
        """Whether the learner, or a part of it, is not shipped with mlaudit."""
        return any(arm.foreign for arm in self.arms[:1])

    def __call__(self, piece: Piece) -> Drawn:
        """All of them here, one after the other."""
        at, start, stop = piece
        return at, start, self._counted(self.arms[at].draw(start, stop - start))

    def parts(self, piece: Piece) -> list[Piece]:
        """One training each; a batch cannot be divided."""
        at, start, stop = piece
        return [piece] if self.arms[at].batched else [(at, place, place + 1) for place in range(start, stop)]

    def one(self, part: Piece) -> Outcome | Block:
        """One training, or one batch."""
        at, start, stop = part
        arm = self.arms[at]
        return arm.draw(start, stop - start) if arm.batched else arm.outcome(start)

    def died(self, part: Piece, death: Death) -> Outcome:
        """A training that ends its process is an output; a batch that does so leaves nothing to audit."""
        arm = self.arms[part[0]]
        if arm.batched:
            raise LearnerFailed(f"sample() {death.kind}\n{death.said}".rstrip())
        summary = getattr(arm.mechanism, "of_death", None)  # of a scan, which looks at deaths by itself
        return died(death.kind, death.said) if summary is None else Outcome(np.asarray(summary(death.kind)))

    def together(self, piece: Piece, made: Sequence[Any], seconds: tuple[float, float]) -> Drawn:
        """The trainings as one block."""
        at, start, _ = piece
        block = made[0] if self.arms[at].batched else pack(cast(Sequence[Outcome], made), seconds)
        return at, start, self._counted(replace(block, cpu_seconds=seconds[0], wall_seconds=seconds[1]))

    def _counted(self, block: Block) -> Block:
        return replace(block, cpu_seconds=0.0) if os.getpid() == self.home else block
