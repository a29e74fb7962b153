"""Drawing trainings: the only user of Engine and Store.

Numbers depend on the seed and the place of a training alone, so that workers, order, kills and what a store already
holds change nothing but the time it takes.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.arms import BLOCK, Arm
from mlaudit.engines.isolated import Isolated
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.outcomes import RAISED, failed, fatal, kinds_of
from mlaudit.phases import tell_restored
from mlaudit.pieces import Piece, cut, gaps, overlap, split, take, whole_blocks
from mlaudit.protocols import Engine, Mechanism, Store
from mlaudit.trainings import Drawn, DrawPieces
from mlaudit.types.arrays import IntArray
from mlaudit.types.block import Block
from mlaudit.types.draws import Draws, Kinds
from mlaudit.types.pair import Pair

Progress = Callable[[int, float], None]  # how many trainings more there are, and the CPU seconds they took

_COINS = 0xC0125
_ALL_RAISED = 100  # after so many failures of each arm there is nothing to audit
_PIECE_SECONDS = 1.0  # what a kill may lose of a slow learner, per worker
_WORTH_WORKERS = 5.0  # seconds of drawing, above which batches go to workers
_FIRST_PIECE = 5  # small at first: how slow the learner is shows here


@dataclass
class Sampler:
    """Fresh trainings of one pair, in order; each place of an arm is handed out once."""

    mechanism: Mechanism
    pair: Pair
    seed: int
    engine: Engine
    store: Store
    remaining: int
    progress: Progress = lambda *_: None
    pilot: Draws | None = None
    code: str = ""
    places: list[int] = field(default_factory=lambda: [0, 0])
    outputs: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    notices: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        target = self.pair.target
        self.arms = tuple(
            Arm(self.mechanism, data, target, self.seed, self.code) for data in (self.pair.neighbour, self.pair.base)
        )

    def after(self, pilot: Draws) -> "Sampler":
        """Go on behind the draws that chose this pair: they may be learned from, and are never handed out again."""
        self.pilot = pilot
        self.places = [int(pilot.places(label).max()) + 1 for label in (0, 1)]
        return self

    def coins(self, n: int) -> IntArray:
        """Fair coin flips for the labels of the next n trainings, independent of every training."""
        seed = SeedSequence(self.seed, spawn_key=(_COINS, sum(self.places)))
        return default_rng(seed).integers(0, 2, n)

    def __call__(self, labels: IntArray) -> Draws:
        """One fresh training for each label."""
        if len(labels) > self.remaining:
            raise InvalidInput(f"{self.remaining} trainings are left of the budget, got {len(labels)} to draw")
        wanted = [(label, self.places[label], self.places[label] + int((labels == label).sum())) for label in (0, 1)]
        blocks = self._gather([w for w in wanted if w[2] > w[1]])
        draws = self._label(labels, blocks)
        self.places = [stop for _, _, stop in wanted]
        self.remaining -= len(labels)
        return draws

    def _gather(self, wanted: list[Piece]) -> dict[Piece, dict[int, Block]]:
        """Blocks that cover every wanted range, from the store where they are there and drawn where not."""
        have = {piece: dict(self._stored(piece)) for piece in wanted}
        missing = [gap for piece in wanted for gap in gaps(piece, have[piece])]
        stored = sum(stop - start for _, start, stop in wanted) - sum(b - a for _, a, b in missing)
        tell_restored(self.progress, stored)
        self._check_alive(have)
        for label, start, block in self._draw(missing):
            self.store.put(self.arms[label].key, start, block)
            piece = next(p for p in wanted if p[0] == label)
            have[piece][start] = block
            self.notices.update(block.notices)
            if fatal(block.kinds):  # and will be again: a process for each training costs less than lost workers
                self.engine = Isolated.of(self.engine)
            self.progress(overlap(start, start + len(block), piece), block.cpu_seconds)
            self._check_alive(have)
        return have

    def _stored(self, piece: Piece) -> Iterator[tuple[int, Block]]:
        label, start, stop = piece
        return iter(self.store.read(self.arms[label].key, start, stop))

    def _draw(self, missing: list[Piece]) -> Iterator[Drawn]:
        """Draw the gaps: whole blocks where the mechanism is batched, else pieces that take about a second."""
        if not missing:
            return
        task = DrawPieces(self.arms)
        if self.arms[0].batched:
            yield from self._draw_batches(task, whole_blocks(missing, self.arms[0].batch))
            return
        first, rest = take(missing, _FIRST_PIECE)
        seconds, trainings = 0.0, 0
        for result in self.engine.map_unordered(task, first):
            seconds, trainings = seconds + result[2].wall_seconds, trainings + len(result[2])
            yield result
        size = int(np.clip(_PIECE_SECONDS * trainings / max(seconds, 1e-9), 1, BLOCK))
        pieces = [piece for gap in rest for piece in split(gap, size)]
        # Both arms side by side: what is wrong with a learner shows early, and a kill leaves both.
        yield from self.engine.map_unordered(task, sorted(pieces, key=lambda piece: piece[1]))

    def _draw_batches(self, task: DrawPieces, batches: list[Piece]) -> Iterator[Drawn]:
        """In this process, where that takes less time than workers take to start and the code is mlaudit's own."""
        began, done = time.perf_counter(), 0
        for batch in () if task.foreign else batches:
            yield task(batch)
            done += 1
            spent = time.perf_counter() - began
            if spent / done * (len(batches) - done) > _WORTH_WORKERS:
                break
        yield from self.engine.map_unordered(task, batches[done:])

    def _check_alive(self, have: dict[Piece, dict[int, Block]]) -> None:
        """A learner whose first trainings all raise, on both sides, is an error with its own traceback.

        Only the first places of each arm are looked at, once they are all there: when that is must not matter.
        """
        first = [(label, start, min(stop, start + _ALL_RAISED)) for label, start, stop in have]
        parts = list(zip(first, have.values(), strict=True))
        if any(gaps(piece, blocks) for piece, blocks in parts):
            return
        kinds = np.concatenate([cut(piece, blocks).kinds for piece, blocks in parts])
        if failed(kinds).all():
            verb = "raised" if np.char.startswith(kinds, RAISED).all() else "failed"
            trace = next(b.error for _, blocks in parts for b in blocks.values() if b.error)
            raise LearnerFailed(
                f"all of the first {len(kinds)} trainings {verb}; the first of them:\n{trace.rstrip()}"
            )

    def _label(self, labels: IntArray, blocks: dict[Piece, dict[int, Block]]) -> Draws:
        """Put each arm's outputs where its labels are."""
        width = max(block.z.shape[1] for covering in blocks.values() for block in covering.values())
        z = np.full((len(labels), width), np.nan)
        kinds: Kinds = np.full(len(labels), "", dtype=object)
        index = np.zeros(len(labels), dtype=np.int64)
        for (label, start, stop), covering in blocks.items():
            rows = np.flatnonzero(labels == label)
            index[rows] = np.arange(start, stop)
            for first, block in sorted(covering.items()):
                low, high = max(first, start), min(first + len(block), stop)
                if low < high:
                    here, there = rows[low - start : high - start], slice(low - first, high - first)
                    z[here, : block.z.shape[1]] = block.z[there]
                    said = kinds_of(block)[there]
                    kinds[here] = said
                    self.outputs[label].update(said.tolist())
        return Draws(labels, z, kinds, index, (self.arms[0].key, self.arms[1].key))
