"""The drawing loop: what it keeps, restores, reports and isolates, whoever asks it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit import Claim, Dataset, Pair
from mlaudit.drawing.deaths import Death
from mlaudit.drawing.engines._careful import Trainings
from mlaudit.drawing.engines._isolated import Isolated
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.loop import DrawingLoop, find_missing
from mlaudit.drawing.pilots import Pilots, PilotStream
from mlaudit.drawing.ranges import Range, cut, find_gaps
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stream import TrainingStream
from mlaudit.drawing.task import Drawn
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.protocols import Mechanism
from mlaudit.scanning.observed_stream import ObservedBlock, ObservedStream
from mlaudit.types.arrays import FloatArray

Item = TypeVar("Item")
Result = TypeVar("Result")
CLAIM = Claim(1.0)
PAIR = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))


@dataclass(frozen=True)
class NoisySum:
    """A learner without a batched path."""

    claim: Claim = CLAIM

    def domain(self, data: Dataset) -> None:
        return None

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        return np.asarray(data.X.sum() + default_rng(seed).laplace(size=2))

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        return model


@dataclass(frozen=True)
class Deadly:
    """An engine in whose hands the first training of each item ends its process."""

    isolated: list[bool] = field(default_factory=list)

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        assert isinstance(task, Trainings)
        for item in items:
            self.isolated.append(task.isolate)
            first, *others = task.split_item(item)
            made = [task.record_death(first, Death(-11)), *map(task.run_part, others)]
            yield task.join_parts(item, made, (0.5, 0.5))


@dataclass
class Counts:
    """A progress report that remembers."""

    drawn: int = 0
    restored_ones: int = 0

    def __call__(self, trainings: int, cpu_seconds: float) -> None:
        self.drawn += trainings

    def count_restored(self, trainings: int) -> None:
        self.restored_ones += trainings

    def start_phase(self, words: str) -> None:
        raise NotImplementedError


def streams(mechanism: Mechanism) -> list[TrainingStream]:
    return [TrainingStream(mechanism, data, None, 3) for data in (PAIR.neighbour, PAIR.base)]


def joined(drawn: Sequence[Drawn], wanted: Range) -> FloatArray:
    return cut(wanted, {one.start: one.block for one in drawn if one.stream == wanted.stream}).z


@pytest.mark.parametrize("mechanism", [NoisySum(), Laplace(1.0)], ids=["single", "batched"])
def test_missing_ranges_are_covered_and_only_wanted_trainings_are_reported(mechanism: Mechanism) -> None:
    counts, wanted = Counts(), [Range(0, 10, 40), Range(1, 0, 25)]
    loop = DrawingLoop(InProcess(), MemoryStore(), counts)
    drawn = list(loop.draw_missing(streams(mechanism), wanted, wanted))
    assert counts.drawn == 55
    have = [{one.start: one.block for one in drawn if one.stream == part.stream} for part in wanted]
    assert find_missing(wanted, have) == []
    assert loop.restore(streams(mechanism), wanted)[0].keys() == have[0].keys()
    assert counts.restored_ones == 55


def test_what_is_not_to_be_kept_is_not_in_the_store() -> None:
    loop, whole = DrawingLoop(InProcess()), Range(0, 0, 5)
    assert len(list(loop.draw(streams(NoisySum()), [whole], [whole], keep=False))) == 1
    assert loop.restore(streams(NoisySum()), [whole]) == [{}]


def test_after_a_death_every_later_training_is_isolated_whoever_draws() -> None:
    engine = Deadly()
    loop, whole = DrawingLoop(engine), Range(0, 0, 3)
    observed = ObservedStream(NoisySum(), PAIR.base, None, 0, probes=None)
    (first,) = loop.draw([observed], [whole], [whole], keep=False)
    assert isinstance(first.block, ObservedBlock)
    assert [reading.get("raised") for reading in first.block.readings] == ["killed its process (SIGSEGV)", None, None]
    assert isinstance(loop.engine, Isolated)
    Pilots(0, loop).draw([(PilotStream(NoisySum(), PAIR.base, None, 0), 4)])
    Sampler(NoisySum(), PAIR, 0, loop, 4)(np.array([0, 1, 0, 1]))
    assert engine.isolated[0] is False
    assert len(engine.isolated) > 3
    assert all(engine.isolated[1:])


@pytest.mark.parametrize("mechanism", [NoisySum(), Laplace(1.0)], ids=["single", "batched"])
@pytest.mark.parametrize("lost", range(3))
def test_pilots_draw_only_the_blocks_that_are_missing(mechanism: Mechanism, lost: int) -> None:
    stream, full = PilotStream(mechanism, PAIR.base, None, 0), MemoryStore()
    expected = Pilots(0, DrawingLoop(InProcess(), full)).draw([(stream, 16)])[0].z
    blocks, counts, half = sorted(full.read(stream.key, 0, 16)), Counts(), MemoryStore()
    assert [start for start, _ in blocks] == [0, 2, 4, 8]
    for start, block in blocks[:lost] + blocks[lost + 1 :]:
        half.put(stream.key, start, block)
    again = Pilots(0, DrawingLoop(InProcess(), half, counts))
    np.testing.assert_array_equal(again.draw([(stream, 16)])[0].z, expected)
    assert (counts.drawn, counts.restored_ones) == (len(blocks[lost][1]), 16 - len(blocks[lost][1]))
    assert again.spent == 16  # the budget of a search does not depend on what a store has


def test_observed_trainings_are_those_of_the_plain_stream() -> None:
    whole, plain = Range(0, 0, 6), TrainingStream(NoisySum(), PAIR.base, None, 4)
    observed = ObservedStream(NoisySum(), PAIR.base, None, 4)
    assert observed.spawn_key == plain.spawn_key
    loop = DrawingLoop(InProcess())
    z = joined(list(loop.draw([plain], [whole], [whole])), whole)
    drawn: Any = next(iter(loop.draw([observed], [whole], [whole], keep=False))).block
    assert [[one["output[0]"], one["output[1]"]] for one in drawn.readings] == z.tolist()


def test_gaps_lie_before_between_and_behind_blocks() -> None:
    block = TrainingStream(NoisySum(), PAIR.base, None, 0).draw(0, 2)
    assert find_gaps(Range(1, 0, 10), {2: block, 6: block}) == [Range(1, 0, 2), Range(1, 4, 6), Range(1, 8, 10)]
    assert find_gaps(Range(1, 2, 4), {2: block}) == []
