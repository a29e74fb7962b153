"""Pilot trainings: seeds of their own, the same on every dataset, so that noise cancels in differences.

No verdict ever counts one of them: an arm of the verdict has its data in its seeds, a pilot has not.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

from mlaudit.arms import Arm
from mlaudit.describe import describe
from mlaudit.engines.isolated import Isolated
from mlaudit.outcomes import fatal
from mlaudit.pieces import cut, gaps
from mlaudit.protocols import Engine, Mechanism, Store
from mlaudit.sampling import Progress
from mlaudit.trainings import DrawPieces
from mlaudit.types.block import Block
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

FIRST = 4  # trainings of each side in a first look: noise that is shared cancels


@dataclass(frozen=True, eq=False)
class PilotArm(Arm):
    """Trainings on one dataset whose seeds are those of every other pilot of the same mechanism."""

    @cached_property
    def words(self) -> tuple[int, ...]:
        """The mechanism in the seeds' spawn key, without the data."""
        trained = getattr(self.mechanism, "seeded_as", self.mechanism)
        text = json.dumps(["pilot", describe(trained)], sort_keys=True, default=str)
        digest = sha256(text.encode()).digest()
        return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))

    @cached_property
    def key(self) -> str:
        """The pilot in a store: here the data must be told apart."""
        text = json.dumps([super().key, self.data.digest, describe(self.target)])
        return sha256(text.encode()).hexdigest()


Wanted = tuple[PilotArm, int]


@dataclass(eq=False)
class Pilots:
    """Draws pilots by an engine, keeps them in a store, and counts what they cost."""

    seed: int
    engine: Engine
    store: Store
    progress: Progress = lambda *_: None
    code: str = ""
    spent: int = 0
    _drawn: dict[str, dict[int, Block]] = field(default_factory=dict, repr=False)

    def arms(self, mechanism: Mechanism, pair: Pair) -> tuple[PilotArm, PilotArm]:
        """The two sides of a pair, D first."""
        return self._arm(mechanism, pair, pair.base), self._arm(mechanism, pair, pair.neighbour)

    def cost(self, wanted: Sequence[Wanted]) -> int:
        """How many trainings more it takes to have so many of each arm."""
        return sum(max(0, n - self._length(key)) for key, (_, n) in _once(wanted).items())

    def draw(self, wanted: Sequence[Wanted]) -> list[Block]:
        """The first so many trainings of each arm; what was drawn before is not drawn again."""
        self.spent += self.cost(wanted)
        missing = {key: want for key, want in _once(wanted).items() if self._length(key) < want[1]}
        for key, (_, n) in missing.items():
            self._recall(key, n)
        left = [(arm, n) for key, (arm, n) in missing.items() if self._length(key) < n]
        tasks = [(at, *piece) for at, (arm, n) in enumerate(left) for piece in _pieces(self._length(arm.key), n)]
        for at, start, block in self.engine.map_unordered(DrawPieces([arm for arm, _ in left]), tasks):
            key = left[at][0].key
            self.store.put(key, start, block)
            self._keep(key, start, block)
            if fatal(block.kinds):
                self.engine = Isolated.of(self.engine)
            self.progress(len(block), block.cpu_seconds)
        return [cut((0, 0, n), self._drawn[arm.key]) for arm, n in wanted]

    def _recall(self, key: str, n: int) -> None:
        """What an earlier run of the same audit left in the store."""
        start = self._length(key)
        kept = dict(self.store.read(key, start, n))
        if kept and not gaps((0, start, n), kept):
            self._keep(key, start, cut((0, start, n), kept))
            self.progress(n - start, 0.0)

    def _arm(self, mechanism: Mechanism, pair: Pair, data: Dataset) -> PilotArm:
        return PilotArm(mechanism, data, pair.target, self.seed, self.code)

    def _keep(self, key: str, start: int, block: Block) -> None:
        self._drawn.setdefault(key, {})[start] = block

    def _length(self, key: str) -> int:
        return sum(map(len, self._drawn.get(key, {}).values()))


def _once(wanted: Sequence[Wanted]) -> dict[str, Wanted]:
    """Each arm once, with the most that anybody wants of it."""
    most: dict[str, Wanted] = {}
    for arm, n in wanted:
        if arm.key not in most or most[arm.key][1] < n:
            most[arm.key] = (arm, n)
    return most


def _pieces(start: int, stop: int) -> list[tuple[int, int]]:
    """Always cut at the same places: what a batched mechanism draws depends on where its batch begins and ends.

    >>> _pieces(0, 16), _pieces(8, 16)
    ([(0, 4), (4, 8), (8, 16)], [(8, 16)])
    """
    edges = [0, FIRST]
    while edges[-1] < stop:
        edges.append(2 * edges[-1])
    return [(a, min(b, stop)) for a, b in pairwise(edges) if start <= a < stop]
