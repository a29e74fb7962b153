"""The drawing loop: the only code that asks an engine for trainings and puts them into a store.

Audits, pilots and scans say which ranges of which streams they want. Numbers depend on the seed and the index of a
training alone. So workers, their order, interruptions and the content of the store change only the time it takes.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.kept_notices import put_block, read_blocks
from mlaudit.drawing.outcome import has_death
from mlaudit.drawing.progress import SILENT, Progress
from mlaudit.drawing.ranges import Range, count_overlap, cover_with_batches, find_gaps, split, take_first
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stream import BLOCK, TrainingStream
from mlaudit.drawing.task import Drawn, DrawRanges
from mlaudit.protocols import Engine, Store
from mlaudit.types.block import Block

Covering = dict[int, Block]  # blocks of one stream by the index of their first training

_FIRST = 5  # trainings of each stream that show how slow the learner is
_SECONDS = 1.0  # of drawing in one range: what an interruption may lose, per worker
_WORTH_WORKERS = 5.0  # seconds of drawing from which on batches go to workers


@dataclass(eq=False)
class DrawingLoop:
    """Draws ranges of streams by an engine, keeps the blocks in a store and reports progress.

    Once a training has ended its own process, the loop runs every later training in a process of its own: the learner
    will do it again, and a process for each training costs less than lost workers. Programs that trainings run in are
    started anew by the mechanism itself.

    Args:
        engine: Runs the trainings.
        store: Keeps the blocks.
        progress: Counts the trainings.
    """

    engine: Engine
    store: Store = field(default_factory=MemoryStore)
    progress: Progress = SILENT

    def restore(self, streams: Sequence[TrainingStream], wanted: Sequence[Range]) -> list[Covering]:
        """The blocks of the store that overlap each range; trainings that need not be drawn are reported."""
        have = [dict(read_blocks(self.store, streams[part.stream], part.start, part.stop)) for part in wanted]
        missing = sum(gap.size for gap in find_missing(wanted, have))
        self.progress.count_restored(sum(part.size for part in wanted) - missing)
        return have

    def draw(
        self,
        streams: Sequence[TrainingStream],
        ranges: Sequence[Range],
        wanted: Sequence[Range],
        *,
        engine: Engine | None = None,
        keep: bool = True,
    ) -> Iterator[Drawn]:
        """Draw every range, in the order in which the engine returns them.

        Args:
            streams: The streams that the ranges number.
            ranges: What the engine draws at a time, each as one block.
            wanted: What the caller asked for: only these trainings are reported. Batches may hold more.
            engine: Another engine than the loop's own.
            keep: Whether the store keeps the blocks.

        Yields:
            Each block, after the store has it.
        """
        for drawn in (engine or self.engine).map_unordered(DrawRanges(streams), ranges):
            block, stop = drawn.block, drawn.start + len(drawn.block)
            if keep:
                put_block(self.store, streams[drawn.stream], drawn.start, block)
            if has_death(block.kinds) and streams[drawn.stream].elsewhere is None:
                self.engine = Isolated.of(self.engine)
            mine = (part for part in wanted if part.stream == drawn.stream)
            self.progress(sum(count_overlap(part, drawn.start, stop) for part in mine), block.cpu_seconds)
            yield drawn

    def draw_missing(
        self, streams: Sequence[TrainingStream], missing: Sequence[Range], wanted: Sequence[Range]
    ) -> Iterator[Drawn]:
        """Draw the missing ranges: whole batches if the mechanism is batched, else ranges of about a second."""
        if not missing:
            return
        if streams[0].batched:
            yield from self._draw_batches(streams, cover_with_batches(missing, streams[0].batch), wanted)
            return
        first, rest = take_first(missing, _FIRST)
        seconds, trainings = 0.0, 0
        for drawn in self.draw(streams, first, wanted):
            seconds, trainings = seconds + drawn.block.wall_seconds, trainings + len(drawn.block)
            yield drawn
        size = int(np.clip(_SECONDS * trainings / max(seconds, 1e-9), 1, BLOCK))
        ranges = [part for gap in rest for part in split(gap, size)]
        # All streams side by side: the defects of a learner show early, and an interruption leaves some of each.
        yield from self.draw(streams, sorted(ranges, key=lambda part: part.start), wanted)

    def _draw_batches(
        self, streams: Sequence[TrainingStream], batches: Sequence[Range], wanted: Sequence[Range]
    ) -> Iterator[Drawn]:
        """Draw in this process if that takes less time than workers take to start and the code is mlaudit's own."""
        began, done, here = time.perf_counter(), 0, InProcess()
        for batch in () if streams[0].foreign else batches:
            yield from self.draw(streams, [batch], wanted, engine=here)
            done += 1
            spent = time.perf_counter() - began
            if spent / done * (len(batches) - done) > _WORTH_WORKERS:
                break
        if done < len(batches):
            yield from self.draw(streams, batches[done:], wanted)


def find_missing(wanted: Sequence[Range], have: Sequence[Covering]) -> list[Range]:
    """The parts of the wanted ranges that no block covers."""
    return [gap for part, blocks in zip(wanted, have, strict=True) for gap in find_gaps(part, blocks)]
