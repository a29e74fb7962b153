"""The task that engines run: draw ranges of trainings."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mlaudit.drawing.deaths import Death
from mlaudit.drawing.outcome import Outcome
from mlaudit.drawing.ranges import Range, split
from mlaudit.drawing.stream import Clock, TrainingStream
from mlaudit.errors import LearnerFailed
from mlaudit.types.block import Block


class Drawn(NamedTuple):
    """A block of trainings: the number of its stream and the index of its first training."""

    stream: int
    start: int
    block: Block


@dataclass(frozen=True)
class DrawRanges:
    """Draws ranges of streams; with `isolate`, each training in a process of its own.

    CPU seconds that trainings take in the process that made the task are reported as 0: that process counts its own.
    """

    streams: Sequence[TrainingStream]
    isolate: bool = False
    home: int = field(default_factory=os.getpid)

    def __post_init__(self) -> None:
        # Shipped samplers keep no state between batches, and would be compiled again in every process.
        if any(stream.batched for stream in self.streams[:1]) and not self.foreign:
            object.__setattr__(self, "isolate", False)

    @property
    def foreign(self) -> bool:
        """Whether the learner, or a part of it, is not shipped with mlaudit."""
        return any(stream.foreign for stream in self.streams[:1])

    def __call__(self, wanted: Range) -> Drawn:
        """Draw a range in this process."""
        began = Clock()
        block = self.streams[wanted.stream].draw(wanted.start, wanted.size)
        if os.getpid() == self.home:  # what is left was spent in programs that trainings ran in
            block = replace(block, cpu_seconds=max(0.0, block.cpu_seconds - began.spent()[0]))
        return Drawn(wanted.stream, wanted.start, block)

    def split_item(self, wanted: Range) -> list[Range]:
        """One range for each training; a batch cannot be divided."""
        return [wanted] if self.streams[wanted.stream].batched else split(wanted, 1)

    def run_part(self, part: Range) -> Outcome | Block:
        """Run one training, or draw one batch."""
        stream = self.streams[part.stream]
        return stream.draw(part.start, part.size) if stream.batched else stream.train(part.start)

    def record_death(self, part: Range, death: Death) -> Outcome:
        """Record the end of a process as the output of its training; a batch that ends leaves nothing to audit."""
        stream = self.streams[part.stream]
        if stream.batched:
            raise LearnerFailed(f"sample() {death.kind}\n{death.said}".rstrip())
        return stream.record_death(death)

    def join_parts(self, wanted: Range, made: Sequence[Any], seconds: tuple[float, float]) -> Drawn:
        """Join the outcomes of a range to one block."""
        stream = self.streams[wanted.stream]
        block = made[0] if stream.batched else stream.pack(made, seconds)
        cpu = 0.0 if os.getpid() == self.home else seconds[0]
        return Drawn(wanted.stream, wanted.start, replace(block, cpu_seconds=cpu, wall_seconds=seconds[1]))
