"""Keeps the learner's warnings beside its draws, so that an audit that was interrupted counts all of them.

A store keeps the outputs of a block. The warnings are a block of their own under another key: their texts are its
kinds, and their counts its numbers.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mlaudit.drawing.stream import TrainingStream
from mlaudit.protocols import Store
from mlaudit.types.block import Block
from mlaudit.types.draws import Kinds


def put_block(store: Store, stream: TrainingStream, start: int, block: Block) -> None:
    """Keep a block, and its warnings before it: where the block is, they are too."""
    if block.notices:
        store.put(_key(stream, block), start, _pack(block.notices))
    store.put(stream.key, start, block)


def read_blocks(store: Store, stream: TrainingStream, start: int, stop: int) -> Iterator[tuple[int, Block]]:
    """The blocks of a stream that overlap [start, stop), with their warnings."""
    for first, block in store.read(stream.key, start, stop):
        yield first, replace(block, notices=_read_notices(store, stream, first, block))


def _read_notices(store: Store, stream: TrainingStream, first: int, block: Block) -> Counter[str]:
    if not stream.foreign or stream.batched:
        return Counter()
    kept = store.read(_key(stream, block), first, first + 1)
    return next((_unpack(told) for start, told in kept if start == first), Counter())


def _key(stream: TrainingStream, block: Block) -> str:
    return f"warnings {len(block)} {stream.key}"


def _pack(notices: Counter[str]) -> Block:
    counts = np.array([[float(count)] for count in notices.values()])
    texts: Kinds = np.array([*notices], dtype=np.str_)
    return Block(counts, np.ones(len(counts), dtype=np.int64), texts)


def _unpack(told: Block) -> Counter[str]:
    return Counter({str(text): int(count) for text, count in zip(told.kinds, told.z[:, 0], strict=True)})
