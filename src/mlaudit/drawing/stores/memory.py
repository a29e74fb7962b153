"""Keeps draws in memory until the process ends."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from mlaudit.types.block import Block


@dataclass(frozen=True)
class MemoryStore:
    """A dictionary of blocks."""

    _blocks: dict[str, dict[int, Block]] = field(default_factory=dict, repr=False)

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        """The blocks of that stream which overlap [start, stop)."""
        for first, block in self._blocks.get(key, {}).items():
            if first < stop and first + len(block) > start:
                yield first, block

    def put(self, key: str, start: int, block: Block) -> None:
        """Keep a block in memory."""
        self._blocks.setdefault(key, {})[start] = block
