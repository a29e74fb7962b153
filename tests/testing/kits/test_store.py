"""The kit of stores tells every way in which a store can break its contract."""

import json
import shutil
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told

from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stores.sqlite import SqliteStore
from mlaudit.errors import StoreError
from mlaudit.testing.store import check_store
from mlaudit.types.block import Block


class Rounding(MemoryStore):
    def put(self, key: str, start: int, block: Block) -> None:
        super().put(key, start, Block(block.z + 0.0, block.lengths, block.kinds, block.error))  # −0 becomes 0


class Wordless(MemoryStore):
    def put(self, key: str, start: int, block: Block) -> None:
        super().put(key, start, Block(block.z, block.lengths, np.full(len(block), ""), block.error))


class Errorless(MemoryStore):
    def put(self, key: str, start: int, block: Block) -> None:
        super().put(key, start, Block(block.z, block.lengths, block.kinds))


class Forgetful(MemoryStore):
    def put(self, key: str, start: int, block: Block) -> None:
        pass


class Inside(MemoryStore):
    """Only blocks that lie in the range as a whole."""

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        return ((at, b) for at, b in super().read(key, start, stop) if start <= at and at + len(b) <= stop)


class Touching(MemoryStore):
    """The block before the range, too."""

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        return super().read(key, start - 1, stop)


class Shifted(MemoryStore):
    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        found = list(super().read(key, start, stop))
        return iter(zip((at for at, _ in found), (block for _, block in reversed(found)), strict=True))


class CaseBlind(MemoryStore):
    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        return super().read(key.lower(), start, stop)

    def put(self, key: str, start: int, block: Block) -> None:
        super().put(key.lower(), start, block)


class Generous(MemoryStore):
    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        known = key if key in self._blocks else next(iter(self._blocks), key)
        return super().read(known, start, stop)


class FirstWins(MemoryStore):
    def put(self, key: str, start: int, block: Block) -> None:
        self._blocks.setdefault(key, {}).setdefault(start, block)


class Filed:
    """Blocks in a folder, a file each, without a checksum."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self.path.mkdir(exist_ok=True)

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        for file in sorted(self.path.glob(f"{key.encode().hex()}-*")):
            first, content = int(file.name.rpartition("-")[2]), file.read_bytes()
            block = load(content) if self.is_intact(content) else self.leave_out(file)
            if block is not None and first < stop and first + len(block) > start:
                yield first, block

    def put(self, key: str, start: int, block: Block) -> None:
        (self.path / f"{key.encode().hex()}-{start}").write_bytes(dump(block))

    def is_intact(self, content: bytes) -> bool:
        return True

    def leave_out(self, file: Path) -> Block | None:
        return None


def dump(block: Block) -> bytes:
    """A checksum, then the block."""
    words = json.dumps([block.z.shape, block.lengths.tolist(), block.kinds.tolist(), block.error]).encode()
    content = len(words).to_bytes(8, "big") + words + block.z.tobytes()
    return crc32(content).to_bytes(4, "big") + content


def load(content: bytes) -> Block:
    """The block behind its checksum."""
    end = 12 + int.from_bytes(content[4:12], "big")
    shape, lengths, kinds, error = json.loads(content[12:end])
    return Block(np.frombuffer(content[end:]).reshape(shape), np.array(lengths), np.array(kinds), error)


class Silent(Filed):
    """With the checksum, but without a warning."""

    def is_intact(self, content: bytes) -> bool:
        return crc32(content[4:]) == int.from_bytes(content[:4], "big")


class Healthy(Silent):
    def leave_out(self, file: Path) -> Block | None:
        warnings.warn(f"{file} is damaged", stacklevel=2)
        return None


class Compressed(Healthy):
    """No number stands in its files as it is."""

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        for file in sorted(self.path.glob(f"{key.encode().hex()}-*")):
            try:
                block = load(zlib.decompress(file.read_bytes()))
            except zlib.error:
                self.leave_out(file)
                continue
            first = int(file.name.rpartition("-")[2])
            if first < stop and first + len(block) > start:
                yield first, block

    def put(self, key: str, start: int, block: Block) -> None:
        (self.path / f"{key.encode().hex()}-{start}").write_bytes(zlib.compress(dump(block)))


class AllOrNothing(Silent):
    def leave_out(self, file: Path) -> Block | None:
        raise StoreError(f"{file} is damaged")


class Panicking(Silent):
    """Throws everything away."""

    def leave_out(self, file: Path) -> Block | None:
        warnings.warn("starting anew", stacklevel=2)
        shutil.rmtree(self.path)
        self.path.mkdir()
        return None


class AsText(Filed):
    """Numbers as text, of which a changed digit is another number."""

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        for file in sorted(self.path.glob(f"{key.encode().hex()}-*")):
            first, (shape, z, lengths, kinds, error) = (
                int(file.name.rpartition("-")[2]),
                json.loads(file.read_bytes()),
            )
            numbers = np.array(z, dtype=float).reshape(shape)
            block = Block(numbers, np.array(lengths), np.array(kinds), error)
            if first < stop and first + len(block) > start:
                yield first, block

    def put(self, key: str, start: int, block: Block) -> None:
        numbers = [repr(number) for number in block.z.ravel().tolist()]
        parts = [block.z.shape, numbers, block.lengths.tolist(), block.kinds.tolist(), block.error]
        (self.path / f"{key.encode().hex()}-{start}").write_text(json.dumps(parts), encoding="utf-8")


class Late(MemoryStore):
    """Says that it has a file, and never writes to it."""

    path = Path("nowhere")


BITS, RANGES = "a block comes back bit for bit", "a range gives the blocks that overlap it, and no others"
KEYS, LONGER = "keys do not mix", "a longer block replaces a shorter one"
REOPENED, DAMAGED = "a second opening finds the blocks of the first", "a damaged block is left out with a warning"
FAULTS = [
    Fault(Rounding, BITS, "came back with other numbers"),
    Fault(Wordless, BITS, "came back with other kinds"),
    Fault(Errorless, BITS, "came back with another error"),
    Fault(Forgetful, BITS, "came back with no block"),
    Fault(Inside, RANGES, "the range [0, 1) gave those at []"),
    Fault(Touching, RANGES, "the range [15, 20) gave those at [10]"),
    Fault(Shifted, RANGES, "under the starts of others"),
    Fault(CaseBlind, KEYS, "the block of 'a' came back as another's"),
    Fault(Generous, KEYS, "a key that was never put gave blocks"),
    Fault(FirstWins, LONGER, "came back with 3 trainings"),
    Fault(Late, REOPENED, "the second opening gave no block"),
    Fault(Filed, DAMAGED, "keep a checksum with each block"),
    Fault(Silent, DAMAGED, "without a warning"),
    Fault(AllOrNothing, DAMAGED, "made the whole store unreadable"),
    Fault(Panicking, DAMAGED, "lost another block"),
    Fault(AsText, DAMAGED, "raised JSONDecodeError"),
]


def opened(kind: type[Any], folder: Path) -> Any:
    return kind() if issubclass(kind, MemoryStore) else kind(folder / "store")


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_store_is_told(fault: Fault, tmp_path: Path) -> None:
    assert_told(fault, check_store(opened(fault.part, tmp_path)))


@pytest.mark.parametrize("kind", [MemoryStore, SqliteStore, Healthy, Compressed])
def test_a_fault_is_not_invented(kind: type[Any], tmp_path: Path) -> None:
    assert_healthy(check_store(opened(kind, tmp_path)))


def test_every_check_can_fail(tmp_path: Path) -> None:
    assert_every_check_can_fail(FAULTS, check_store(SqliteStore(tmp_path / "store")))
