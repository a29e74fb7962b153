"""Labelled trainings of one pair, as procedures ask for them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.drawing.loop import Covering, DrawingLoop, find_missing
from mlaudit.drawing.outcome import RAISED, has_failed, kinds_of
from mlaudit.drawing.ranges import Range, cut, find_gaps
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.protocols import Mechanism
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.draws import Draws, Kinds
from mlaudit.types.pair import Pair
from mlaudit.types.readings import NOTHING
from mlaudit.types.shift import PairedShift

_COINS = 0xC0125
_LOOKED_AT = 100  # outputs that tell of nearly every random learner that it is one
_ALL_RAISED = 100  # failures of each stream after which there is nothing to audit


@dataclass
class Sampler:
    """Draws fresh trainings of one pair, in order; each index of a stream is handed out once.

    Args:
        mechanism: The learner.
        pair: D and D′.
        seed: The root seed.
        loop: Draws the trainings and keeps them.
        remaining: The budget: how many trainings may be drawn.
        shift: The shift from D′ to D, if pairs with common seeds have shown it.
        pairing: Learns the shift from at most so many pairs and returns what they cost; None if no seed is common.
        pilot: The draws that chose the pair. They may train a distinguisher, and are never handed out again.
        code: A digest of the user's own code, for the keys of stored draws.
        identity: The fingerprint of the learner, if it was taken already.
        only: The kind and the numbers of the first output of each stream.
        constant: Whether every output of a stream was that one.
    """

    mechanism: Mechanism
    pair: Pair
    seed: int
    loop: DrawingLoop
    remaining: int
    pilot: Draws | None = None
    code: str = ""
    identity: str = ""
    shift: PairedShift | None = None
    pairing: Callable[[int], tuple[PairedShift | None, int]] | None = None
    next_index: list[int] = field(default_factory=lambda: [0, 0])
    outputs: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    notices: Counter[str] = field(default_factory=Counter)
    only: list[tuple[str, FloatArray] | None] = field(default_factory=lambda: [None, None])
    constant: list[bool] = field(default_factory=lambda: [True, True])

    def __post_init__(self) -> None:
        target = self.pair.target
        self.streams = tuple(
            TrainingStream(self.mechanism, data, target, self.seed, self.code, self.identity)
            for data in (self.pair.neighbour, self.pair.base)
        )

    def start_after(self, pilot: Draws) -> "Sampler":
        """Start behind the draws that chose this pair."""
        self.pilot = pilot
        self.next_index = [int(pilot.indices(label).max()) + 1 for label in (0, 1)]
        return self

    def learn_shift(self, pairs: int) -> None:
        """Draw pairs of trainings with common seeds, which never count, and keep the shift that they show."""
        if self.pairing is not None and 0 < 2 * pairs < self.remaining:
            self.shift, cost = self.pairing(pairs)
            self.remaining -= cost

    def coins(self, n: int) -> IntArray:
        """Fair coin flips for the labels of the next n trainings, independent of every training."""
        seed = SeedSequence(self.seed, spawn_key=(_COINS, sum(self.next_index)))
        return default_rng(seed).integers(0, 2, n)

    def __call__(self, labels: IntArray) -> Draws:
        """Draw one fresh training for each label."""
        if len(labels) > self.remaining:
            raise InvalidInput(f"{self.remaining} trainings are left of the budget, got {len(labels)} to draw")
        counts = [int((labels == label).sum()) for label in (0, 1)]
        starts = self.next_index
        wanted = [Range(label, starts[label], starts[label] + counts[label]) for label in (0, 1)]
        blocks = self._gather([part for part in wanted if part.size > 0])
        draws = self._label(labels, blocks)
        self.next_index = [part.stop for part in wanted]
        self.remaining -= len(labels)
        return draws

    def _gather(self, wanted: Sequence[Range]) -> dict[Range, Covering]:
        """Blocks that cover every wanted range: those in the store, and the missing ones, which are drawn."""
        have = dict(zip(wanted, self.loop.restore(self.streams, wanted), strict=True))
        alive = is_alive(have)
        for covering in have.values():
            for block in covering.values():
                self.notices.update(block.notices)
        for drawn in self.loop.draw_missing(self.streams, find_missing(wanted, list(have.values())), wanted):
            part = next(part for part in wanted if part.stream == drawn.stream)
            have[part][drawn.start] = drawn.block
            self.notices.update(drawn.block.notices)
            alive = alive or is_alive(have)
        return have

    def _label(self, labels: IntArray, blocks: Mapping[Range, Covering]) -> Draws:
        """Put the outputs of each stream where its labels are."""
        width = max(block.z.shape[1] for covering in blocks.values() for block in covering.values())
        z = np.full((len(labels), width), np.nan)
        kinds: Kinds = np.full(len(labels), "", dtype=object)
        index = np.zeros(len(labels), dtype=np.int64)
        for part, covering in blocks.items():
            rows = np.flatnonzero(labels == part.stream)
            index[rows] = np.arange(part.start, part.stop)
            for first, block in sorted(covering.items()):
                low, high = max(first, part.start), min(first + len(block), part.stop)
                if low < high:
                    here, there = rows[low - part.start : high - part.start], slice(low - first, high - first)
                    z[here, : block.z.shape[1]] = block.z[there]
                    said = kinds_of(block)[there]
                    kinds[here] = said
                    self.outputs[part.stream].update(said.tolist())
        for label in (0, 1):
            rows = np.flatnonzero(labels == label)
            for some in (rows[:_LOOKED_AT], rows[_LOOKED_AT:]):
                if len(some) and self.constant[label]:
                    self.constant[label] = self._is_only(label, z[some], kinds[some])
        return Draws(labels, z, kinds, index, (self.streams[0].key, self.streams[1].key))

    def _is_only(self, label: int, z: FloatArray, kinds: Kinds) -> bool:
        """Whether the stream has given one output so far; the first one is kept in `only`."""
        kind, vector = self.only[label] = self.only[label] or (str(kinds[0]), z[0].copy())
        width = min(len(vector), z.shape[1])  # the kind says how many numbers there are
        numbers, first = z[:, :width], vector[:width]
        same = (numbers == first) | (np.isnan(numbers) & np.isnan(first))
        return bool((kinds == kind).all() and same.all())


def is_alive(have: Mapping[Range, Covering]) -> bool:
    """Whether one of the first trainings brought numbers; False while some of them are missing.

    Only the first trainings of each stream count, and only when all of them are there. So the answer does not depend
    on the order of drawing.

    Raises:
        LearnerFailed: If all of the first trainings on both sides failed; the message ends with the traceback.
    """
    first = [part._replace(stop=min(part.stop, part.start + _ALL_RAISED)) for part in have]
    parts = list(zip(first, have.values(), strict=True))
    if any(find_gaps(part, blocks) for part, blocks in parts):
        return False
    kinds = np.concatenate([cut(part, blocks).kinds for part, blocks in parts])
    if (kinds == NOTHING).all():
        raise LearnerFailed(
            f"a mechanism must return its output, got None from all of the first {len(kinds)} trainings; does it end "
            "with return?"
        )
    if has_failed(kinds).all():
        verb = "raised" if np.char.startswith(kinds, RAISED).all() else "failed"
        trace = next(block.error for _, blocks in parts for block in blocks.values() if block.error)
        raise LearnerFailed(f"all of the first {len(kinds)} trainings {verb}; the first of them:\n{trace.rstrip()}")
    return True
