"""Ranges of a stream of trainings: which are wanted, present or missing."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block

Blocks = Mapping[int, Block]  # blocks of one stream by the index of their first training


class Range(NamedTuple):
    """Trainings start … stop − 1 of the stream with that number.

    >>> Range(0, 5, 9).size
    4
    """

    stream: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many trainings it has."""
        return self.stop - self.start


def count_overlap(wanted: Range, start: int, stop: int) -> int:
    """How many trainings of [start, stop) are wanted.

    >>> count_overlap(Range(0, 5, 9), 8, 20)
    1
    """
    return max(0, min(stop, wanted.stop) - max(start, wanted.start))


def find_gaps(wanted: Range, have: Blocks) -> list[Range]:
    """The parts of the range that no block covers."""
    found, covered = [], wanted.start
    for start in sorted(have):
        if start > covered:
            found.append(wanted._replace(start=covered, stop=min(start, wanted.stop)))
        covered = max(covered, start + len(have[start]))
    return [gap for gap in [*found, wanted._replace(start=covered)] if gap.size > 0]


def split(whole: Range, size: int) -> list[Range]:
    """The range in parts of at most `size`.

    >>> [(part.start, part.stop) for part in split(Range(0, 5, 10), 3)]
    [(5, 8), (8, 10)]
    """
    starts = range(whole.start, whole.stop, size)
    return [whole._replace(start=start, stop=min(start + size, whole.stop)) for start in starts]


def take_first(missing: Sequence[Range], size: int) -> tuple[list[Range], list[Range]]:
    """At most `size` trainings from the first gap of each stream, and the rest."""
    first, rest, seen = [], [], set()
    for gap in missing:
        middle = gap.start if gap.stream in seen else min(gap.stop, gap.start + size)
        seen.add(gap.stream)
        first.append(gap._replace(stop=middle))
        rest.append(gap._replace(start=middle))
    return [part for part in first if part.size > 0], [part for part in rest if part.size > 0]


def cover_with_batches(missing: Sequence[Range], size: int) -> list[Range]:
    """The aligned batches that cover the gaps: the output of a batched mechanism depends on its whole batch.

    >>> [(batch.start, batch.stop) for batch in cover_with_batches([Range(0, 5, 12)], 10)]
    [(0, 10), (10, 20)]
    """
    numbers = {(batch, gap.stream) for gap in missing for batch in range(gap.start // size, -(-gap.stop // size))}
    return [Range(stream, batch * size, (batch + 1) * size) for batch, stream in sorted(numbers)]


def cut(wanted: Range, have: Blocks) -> Block:
    """Exactly the range, out of blocks that cover it."""
    width = max(block.z.shape[1] for block in have.values())
    z: FloatArray = np.full((wanted.size, width), np.nan)
    lengths = np.zeros(wanted.size, dtype=np.int64)
    kinds = np.full(wanted.size, "", dtype=object)
    for first, block in have.items():
        low, high = max(first, wanted.start), min(first + len(block), wanted.stop)
        if low >= high:
            continue
        here, there = slice(low - wanted.start, high - wanted.start), slice(low - first, high - first)
        z[here, : block.z.shape[1]] = block.z[there]
        lengths[here], kinds[here] = block.lengths[there], block.kinds[there]
    return Block(z, lengths, kinds.astype(np.str_))
