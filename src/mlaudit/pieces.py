"""Which stretches of an arm's stream are wanted, there, or missing."""

import numpy as np

from mlaudit.types.arrays import FloatArray
from mlaudit.types.block import Block

Piece = tuple[int, int, int]  # label, start, stop


def overlap(start: int, stop: int, piece: Piece) -> int:
    """How many trainings of the piece lie in [start, stop)."""
    return max(0, min(stop, piece[2]) - max(start, piece[1]))


def gaps(piece: Piece, have: dict[int, Block]) -> list[Piece]:
    """What of the piece no block covers."""
    label, at, end = piece
    found = []
    for start in sorted(have):
        if start > at:
            found.append((label, at, min(start, end)))
        at = max(at, start + len(have[start]))
    return [g for g in [*found, (label, at, end)] if g[1] < g[2]]


def split(gap: Piece, size: int) -> list[Piece]:
    """The piece in parts of at most `size`."""
    label, start, stop = gap
    return [(label, at, min(at + size, stop)) for at in range(start, stop, size)]


def take(missing: list[Piece], size: int) -> tuple[list[Piece], list[Piece]]:
    """A small first piece of the first gap of each arm, and the rest."""
    first, rest, seen = [], [], set()
    for label, start, stop in missing:
        middle = min(stop, start + size) if label not in seen else start
        seen.add(label)
        first.append((label, start, middle))
        rest.append((label, middle, stop))
    return [p for p in first if p[1] < p[2]], [p for p in rest if p[1] < p[2]]


def whole_blocks(missing: list[Piece], size: int) -> list[Piece]:
    """The aligned blocks that cover the gaps: what a batched mechanism returns depends on all of a block."""
    starts = {(label, b) for label, start, stop in missing for b in range(start // size, -(-stop // size))}
    return [(label, b * size, (b + 1) * size) for label, b in sorted(starts, key=lambda at: (at[1], at[0]))]


def cut(piece: Piece, have: dict[int, Block]) -> Block:
    """Exactly the piece, out of blocks that cover it."""
    _, start, stop = piece
    width = max(block.z.shape[1] for block in have.values())
    z: FloatArray = np.full((stop - start, width), np.nan)
    lengths = np.zeros(stop - start, dtype=np.int64)
    kinds = np.full(stop - start, "", dtype=object)
    for first, block in have.items():
        low, high = max(first, start), min(first + len(block), stop)
        if low >= high:
            continue
        here, there = slice(low - start, high - start), slice(low - first, high - first)
        z[here, : block.z.shape[1]] = block.z[there]
        lengths[here], kinds[here] = block.lengths[there], block.kinds[there]
    return Block(z, lengths, kinds.astype(np.str_))
