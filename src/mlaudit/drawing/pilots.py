"""Pilot trainings: their seeds are the same on every dataset, so that noise cancels in differences.

No verdict counts a pilot. The seeds of a verdict's stream depend on its data, the seeds of a pilot do not.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

import numpy as np

from mlaudit.drawing.loop import Covering, DrawingLoop, find_missing
from mlaudit.drawing.ranges import Range, count_overlap, cut
from mlaudit.drawing.stream import TrainingStream, describe_for_seeds
from mlaudit.naming.describe import describe
from mlaudit.naming.fingerprint import fingerprint
from mlaudit.protocols import Mechanism
from mlaudit.types.block import Block
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

_SAME = 1e-9  # relative difference up to which two outputs are equal
FIRST = 2  # trainings on D′ in the first comparison: shared noise cancels


@dataclass(frozen=True, eq=False)
class PilotStream(TrainingStream):
    """Trainings on one dataset whose seeds are those of every other pilot of the same mechanism."""

    @cached_property
    def spawn_key(self) -> tuple[int, ...]:
        """The mechanism in the seeds' spawn key, without the data."""
        text = json.dumps(["pilot", describe_for_seeds(self.mechanism)], sort_keys=True, default=str)
        digest = sha256(text.encode()).digest()
        return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))

    @cached_property
    def key(self) -> str:
        """The key in a store: unlike the seeds, it depends on the data."""
        text = json.dumps([super().key, self.data.digest, describe(self.target)])
        return sha256(text.encode()).hexdigest()


Wanted = tuple[PilotStream, int]  # a stream, and how many of its first trainings


@dataclass(eq=False)
class Pilots:
    """Draws pilot trainings and counts what they cost.

    Args:
        seed: The root seed.
        loop: Draws the trainings and keeps them.
        code: A digest of the user's own code, for the keys of stored draws.
        spent: How many trainings were asked for so far.
    """

    seed: int
    loop: DrawingLoop
    code: str = ""
    spent: int = 0
    _shared: bool | None = field(default=None, repr=False)
    _drawn: dict[str, Covering] = field(default_factory=dict, repr=False)
    _last: tuple[Mechanism, str] | None = field(default=None, repr=False)  # whose fingerprint was taken

    def streams(self, mechanism: Mechanism, pair: Pair) -> tuple[PilotStream, PilotStream]:
        """The two sides of a pair, D first."""
        return self._stream(mechanism, pair, pair.base), self._stream(mechanism, pair, pair.neighbour)

    def cost(self, wanted: Sequence[Wanted]) -> int:
        """How many trainings are missing to have the wanted number of each stream."""
        return sum(max(0, n - self._length(key)) for key, (_, n) in _keep_largest(wanted).items())

    def draw(self, wanted: Sequence[Wanted]) -> list[Block]:
        """The first n trainings of each stream; trainings that were drawn before are not drawn again."""
        self.spent += self.cost(wanted)
        longer = [(stream, n) for key, (stream, n) in _keep_largest(wanted).items() if self._length(key) < n]
        streams = [stream for stream, _ in longer]
        ranges = [Range(at, self._length(stream.key), n) for at, (stream, n) in enumerate(longer)]
        have = self.loop.restore(streams, ranges)
        missing = find_missing(ranges, have)
        parts = [part for whole in ranges for part in _cut_at_edges(whole) if _is_missing(part, missing)]
        for drawn in self.loop.draw(streams, parts, missing):
            have[drawn.stream][drawn.start] = drawn.block
        for stream, part, blocks in zip(streams, ranges, have, strict=True):
            self._drawn.setdefault(stream.key, {})[part.start] = cut(part, blocks)
        return [cut(Range(0, 0, n), self._drawn[stream.key]) for stream, n in wanted]

    def share_noise(self, stream: PilotStream) -> bool:
        """Whether pilots of equal seeds have equal noise; asked once, by two trainings that are drawn a second time.

        A learner that takes randomness from elsewhere has other noise in every training. What its pilots differ by
        is noise, too, and it takes more of them to see a shift.
        """
        if self._shared is None:
            self._shared = not stream.outside or stream.batched or self._repeats(stream)
        return self._shared

    def _repeats(self, stream: PilotStream) -> bool:
        (first,) = self.draw([(stream, FIRST)])
        (again,) = self.loop.draw([stream], [Range(0, 0, FIRST)], [], keep=False)
        same = np.array_equal(first.kinds, again.block.kinds) and first.z.shape == again.block.z.shape
        return bool(same and np.allclose(first.z, again.block.z, rtol=_SAME, atol=0.0, equal_nan=True))

    def _stream(self, mechanism: Mechanism, pair: Pair, data: Dataset) -> PilotStream:
        return PilotStream(mechanism, data, pair.target, self.seed, self.code, self._identify(mechanism))

    def _identify(self, mechanism: Mechanism) -> str:
        """The fingerprint of the mechanism, taken once: a search makes thousands of streams of the same one."""
        if self._last is None or self._last[0] is not mechanism:
            self._last = mechanism, fingerprint(mechanism)
        return self._last[1]

    def _length(self, key: str) -> int:
        return sum(map(len, self._drawn.get(key, {}).values()))


def _keep_largest(wanted: Sequence[Wanted]) -> dict[str, Wanted]:
    """Each stream once, with the largest number that is wanted of it."""
    most: dict[str, Wanted] = {}
    for stream, n in wanted:
        if stream.key not in most or most[stream.key][1] < n:
            most[stream.key] = (stream, n)
    return most


def _cut_at_edges(whole: Range) -> list[Range]:
    """The range, always cut at the same indices: a batch depends on where it begins and ends.

    >>> [(part.start, part.stop) for part in _cut_at_edges(Range(0, 0, 16))]
    [(0, 2), (2, 4), (4, 8), (8, 16)]
    >>> [(part.start, part.stop) for part in _cut_at_edges(Range(0, 8, 16))]
    [(8, 16)]
    """
    edges = [0, FIRST]
    while edges[-1] < whole.stop:
        edges.append(2 * edges[-1])
    parts = [Range(whole.stream, start, min(stop, whole.stop)) for start, stop in pairwise(edges)]
    return [part for part in parts if whole.start <= part.start < whole.stop]


def _is_missing(part: Range, missing: Sequence[Range]) -> bool:
    """Whether a training of the part is missing."""
    return any(gap.stream == part.stream and count_overlap(gap, part.start, part.stop) for gap in missing)
