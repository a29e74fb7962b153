"""What is drawn depends on the seed and the index alone, and whatever comes out of a learner is an output."""

import importlib.util
import random
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import cloudpickle
import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng

from mlaudit import AuditResult, Claim, Dataset, FunctionMechanism, LokyEngine, Pair, SqliteStore, audit
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.drawing import loop as loop_module
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.progress import CallFunction
from mlaudit.drawing.sampler import Sampler
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stream import BLOCK, TrainingStream
from mlaudit.errors import InvalidInput, LearnerFailed
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.naming.fingerprint import fingerprint
from mlaudit.protocols import Engine, Mechanism, Store
from mlaudit.types.arrays import FloatArray, IntArray
from mlaudit.types.block import Block
from mlaudit.types.draws import Draws

# Worker processes cannot import a test file by its name.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

Item = TypeVar("Item")
Result = TypeVar("Result")

PAIR = Pair(Dataset([0.0, 0.0, 0.0]), Dataset([0.0, 1.0, 0.0]))
CLAIM = Claim(1.0)
SCALE = 1.0
FITS: Counter[str] = Counter()


@dataclass(frozen=True)
class ShufflingEngine:
    """Takes the items in one random order and hands the results out in another."""

    seed: int

    def map_unordered(self, task: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        dice = random.Random(self.seed)
        results = [task(item) for item in dice.sample(list(items), len(items))]
        yield from dice.sample(results, len(results))


@dataclass(frozen=True)
class CountingStore:
    """Keeps blocks and remembers which trainings it was given."""

    inner: Store = field(default_factory=MemoryStore)
    drawn: list[tuple[str, int]] = field(default_factory=list)

    def read(self, key: str, start: int, stop: int) -> Iterator[tuple[int, Block]]:
        return iter(self.inner.read(key, start, stop))

    def put(self, key: str, start: int, block: Block) -> None:
        self.drawn.extend((key, index) for index in range(start, start + len(block)))
        self.inner.put(key, start, block)


@dataclass(frozen=True)
class NoisySum:
    """A learner without a batched path, whose trainings are counted by dataset."""

    scale: float = 1.0
    claim: Claim = CLAIM

    def domain(self, data: Dataset) -> None:
        return None

    def fit(self, data: Dataset, seed: SeedSequence) -> FloatArray:
        FITS[data.digest] += 1
        return np.asarray(data.X.sum() + default_rng(seed).laplace(scale=self.scale, size=2))

    def summary(self, model: FloatArray, target: FloatArray | None) -> FloatArray:
        return model


def noisy_sum(data: Dataset, rng: Generator) -> FloatArray:
    return np.asarray(data.X.sum() + rng.laplace(scale=SCALE, size=2))


def noisy_sum_elsewhere(data: Dataset, rng: Generator) -> FloatArray:
    return noisy_sum(data, rng)


def noisy_list(data: Dataset, rng: Generator) -> list[float]:
    return [float(data.X.sum() + noise * SCALE) for noise in rng.laplace(size=2)]


def with_scale(scale: float) -> Callable[[Dataset, Generator], float]:
    def scaled(data: Dataset, rng: Generator) -> float:
        return float(data.X.sum() + rng.laplace(scale=scale))

    return scaled


def noisy_total(data: Dataset, rng: Generator, scale: float) -> float:
    return float(data.X.sum() + rng.laplace(scale=scale))


def moody(data: Dataset, rng: Generator) -> Any:
    """Every kind of output there is, at random."""
    mood = rng.integers(0, 5)
    if mood == 0:
        raise ArithmeticError("not today")
    return [[rng.normal()], [rng.normal(), np.nan], [np.inf, rng.normal()], [rng.normal(), rng.normal()]][mood - 1]


MECHANISMS: dict[str, Mechanism] = {
    "own fit": NoisySum(),
    "batched": Laplace(1.0),
    "function": FunctionMechanism(noisy_sum, CLAIM),
    "moody": FunctionMechanism(moody, CLAIM),
}
by_mechanism = pytest.mark.parametrize("name", MECHANISMS)
MANY = default_rng(0).integers(0, 2, 2700)  # more than one batch of either stream
LABELS = MANY[:800]  # more than one range of either stream, where trainings are drawn one at a time


def labels_of(mechanism: Mechanism) -> IntArray:
    """So many that each stream takes several blocks."""
    return MANY if mechanism is MECHANISMS["batched"] else LABELS


def sampler(mechanism: Mechanism, engine: Engine | None = None, store: Store | None = None) -> Sampler:
    loop = DrawingLoop(engine or LokyEngine(), store or MemoryStore())
    return Sampler(mechanism, PAIR, 5, loop, len(labels_of(mechanism)))


@cache
def drawn_by(name: str) -> tuple[Draws, CountingStore]:
    """All draws of a mechanism in one process, and the store that has them; once for all tests that compare."""
    store = CountingStore()
    return sampler(MECHANISMS[name], store=store)(labels_of(MECHANISMS[name])), store


def raising_on_neighbour(data: Dataset, rng: Generator) -> float:
    if data.X.any():
        raise KeyError("a rare category")
    return float(rng.normal())


def nan_on_neighbour(data: Dataset, rng: Generator) -> float:
    return float("nan") if data.X.any() else float(rng.normal())


def longer_on_neighbour(data: Dataset, rng: Generator) -> FloatArray:
    return rng.normal(size=3 if data.X.any() else 2)


def raising(data: Dataset, rng: Generator) -> float:
    raise RuntimeError("the licence server is down")


def audited(function: Any, **options: Any) -> AuditResult:
    return audit(function, pair=PAIR, claim=CLAIM, **{"trainings": 1000, **options})


def same(first: Draws, second: Draws) -> None:
    for name in ("labels", "z", "kinds", "index"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert first.streams == second.streams


@by_mechanism
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_the_order_of_drawing_changes_nothing(name: str, seed: int) -> None:
    mechanism, (expected, _) = MECHANISMS[name], drawn_by(name)
    same(sampler(mechanism, ShufflingEngine(seed))(labels_of(mechanism)), expected)


@by_mechanism
@pytest.mark.slow
def test_worker_processes_change_nothing(name: str) -> None:
    mechanism, (expected, _) = MECHANISMS[name], drawn_by(name)
    same(sampler(mechanism, LokyEngine(2))(labels_of(mechanism)), expected)


@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 1e9])
@pytest.mark.slow
def test_the_size_of_a_range_changes_nothing(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = drawn_by("moody")
    monkeypatch.setattr(loop_module, "_SECONDS", seconds)
    same(sampler(MECHANISMS["moody"])(LABELS), expected)


@by_mechanism
@pytest.mark.slow
def test_how_the_labels_are_asked_for_changes_no_training(name: str) -> None:
    """Training i of a stream is the same whether asked for alone, in parts, or with the other stream."""
    (expected, _), labels = drawn_by(name), labels_of(MECHANISMS[name])
    parts, alone = (sampler(MECHANISMS[name]) for _ in range(2))
    first, second = parts(labels[:99]), parts(labels[99:])
    np.testing.assert_array_equal(np.concatenate([first.index, second.index]), expected.index)
    np.testing.assert_array_equal(_unpadded(first) + _unpadded(second), _unpadded(expected))
    ones = alone(np.ones(int(labels.sum()), dtype=np.int64))
    np.testing.assert_array_equal(_unpadded(ones), np.array(_unpadded(expected))[labels == 1])


def _unpadded(draws: Draws) -> list[str]:
    return [str(row[~np.isnan(row)].tolist()) for row in draws.z]


@by_mechanism
@pytest.mark.slow
def test_a_store_that_is_half_filled_changes_nothing_and_is_used(name: str) -> None:
    mechanism, (expected, full) = MECHANISMS[name], drawn_by(name)
    half = CountingStore()
    for key, blocks in _blocks(full).items():
        for start in list(blocks)[::2]:
            half.inner.put(key, start, blocks[start])
    same(sampler(mechanism, store=half)(labels_of(mechanism)), expected)
    assert 0 < len(half.drawn) < len(full.drawn)


def _blocks(store: CountingStore) -> dict[str, dict[int, Block]]:
    keys = {key for key, _ in store.drawn}
    return {key: dict(store.inner.read(key, 0, 10**9)) for key in keys}


@by_mechanism
@pytest.mark.slow
def test_a_full_store_is_drawn_from_without_a_training(name: str, tmp_path: Path) -> None:
    mechanism, labels = MECHANISMS[name], labels_of(MECHANISMS[name])
    first = SqliteStore(tmp_path / "draws.sqlite")
    expected = sampler(mechanism, store=first)(labels)
    first.close()
    again = CountingStore(SqliteStore(tmp_path / "draws.sqlite"))
    same(sampler(mechanism, store=again)(labels), expected)
    assert again.drawn == []


@pytest.mark.parametrize("column", ["z", "lengths", "checksum", "start", "n", "width"])
@pytest.mark.parametrize("name", ["batched", "moody"])
@pytest.mark.slow
def test_a_damaged_block_is_noticed_and_drawn_again(name: str, column: str, tmp_path: Path) -> None:
    mechanism, (expected, full) = MECHANISMS[name], drawn_by(name)
    store = SqliteStore(tmp_path / "draws.sqlite")
    for key, blocks in _blocks(full).items():
        for start, block in blocks.items():
            store.put(key, start, block)
    _damage(store.path, column)
    counting = CountingStore(store)
    with pytest.warns(UserWarning, match="is damaged and is drawn again"):
        same(sampler(mechanism, store=counting)(labels_of(mechanism)), expected)
    assert 0 < len(counting.drawn) <= (1000 if name == "batched" else BLOCK)


@pytest.mark.slow
def test_a_block_that_was_drawn_again_is_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "draws.sqlite")
    sampler(NoisySum(), store=store)(LABELS)
    _damage(store.path, "z")
    with pytest.warns(UserWarning, match="is damaged"):
        sampler(NoisySum(), store=store)(LABELS)
    again = CountingStore(store)
    sampler(NoisySum(), store=again)(LABELS)
    assert again.drawn == []


def _damage(path: Path, column: str) -> None:
    """Change one bit of the largest block, or one of its numbers by one."""
    with sqlite3.connect(path) as db:
        arm, start, value = db.execute(
            f"SELECT arm, start, {column} FROM blocks ORDER BY n DESC, arm LIMIT 1"
        ).fetchone()
        damaged = bytes([value[0] ^ 1]) + value[1:] if isinstance(value, bytes) else value + 1
        db.execute(f"UPDATE blocks SET {column} = ? WHERE arm = ? AND start = ?", (damaged, arm, start))
    db.close()


@pytest.mark.slow
def test_no_draw_is_handed_out_twice() -> None:
    draw = sampler(NoisySum())
    parts = [draw(LABELS[:100]), draw(LABELS[100:350]), draw(LABELS[350:])]
    for label in (0, 1):
        indices = np.concatenate([part.indices(label) for part in parts])
        assert indices.tolist() == list(range(len(indices)))
    assert not parts[0].shares(parts[1])


@pytest.mark.slow
def test_draws_after_a_pilot_are_none_of_the_pilots() -> None:
    pilot = sampler(NoisySum())(LABELS[:40])
    later = sampler(NoisySum()).start_after(pilot)
    draws = later(LABELS)
    assert later.pilot is pilot
    assert not draws.shares(pilot)
    assert draws.indices(0).min() == pilot.indices(0).max() + 1
    assert draws.indices(1).min() == pilot.indices(1).max() + 1


@pytest.mark.slow
def test_more_than_the_budget_is_refused_and_nothing_is_lost() -> None:
    draw = sampler(NoisySum())
    with pytest.raises(InvalidInput, match="800 trainings are left of the budget, got 801"):
        draw(np.zeros(801, dtype=np.int64))
    draw(LABELS[:799])
    assert draw.remaining == 1
    with pytest.raises(InvalidInput, match="1 trainings are left"):
        draw(LABELS[:2])


def test_coins_are_fair_fresh_and_repeatable() -> None:
    draw = sampler(NoisySum())
    first = draw.coins(600)
    # Fails for a correct program with probability < 2e-9: the tails of 600 fair coins.
    assert abs(int(first.sum()) - 300) < 75
    np.testing.assert_array_equal(draw.coins(600), first)
    draw(LABELS[:100])
    assert (draw.coins(600) != first).any()


@pytest.mark.slow
def test_trainings_differ_between_indices_streams_and_seeds() -> None:
    draws = [sampler(NoisySum())(LABELS), replace(sampler(NoisySum()), seed=6)(LABELS)]
    noise = np.concatenate([d.z[:, 0] - np.where(d.labels == 1, 0.0, 1.0) for d in draws])
    assert len(np.unique(noise)) == 2 * len(LABELS)


def test_progress_counts_every_training_once() -> None:
    store, told = MemoryStore(), [0]

    def progress(n: int, cpu_seconds: float) -> None:
        told[0] += n

    for expected in (300, 1000):  # the second time 300 come from the store
        loop = DrawingLoop(LokyEngine(), store, CallFunction(progress))
        replace(sampler(NoisySum()), loop=loop)(LABELS[: expected - told[0]])
        assert told[0] == expected


# A second worker that has no processor for a while lets the first one draw more; a whole run takes more than 10 s.
@pytest.mark.parametrize(("jobs", "most"), [(1, 1000), (2, 25_000)])
@pytest.mark.slow
def test_a_learner_that_always_raises_fails_at_once_with_its_own_traceback(jobs: int, most: int) -> None:
    drawn = [0]

    def progress(n: int, cpu_seconds: float) -> None:
        drawn[0] += n

    with pytest.raises(LearnerFailed, match="the licence server is down") as failure:
        audited(raising, trainings=50_000, engine=LokyEngine(jobs), progress=progress)
    assert "in raising" in str(failure.value)
    assert 0 < drawn[0] < most


def test_a_learner_that_always_raises_fails_again_from_the_store() -> None:
    store = MemoryStore()
    for _ in range(2):
        with pytest.raises(LearnerFailed, match="the licence server is down"):
            audited(raising, trainings=100, store=store)


@pytest.mark.slow
def test_raising_only_on_the_neighbour_is_a_violation_with_a_note() -> None:
    result = audited(raising_on_neighbour)
    # Fails for a correct program with probability < 1e-9: after one training of either side every guess is right.
    assert result.violated
    assert "raised KeyError: counted as an output" in result.provenance.notes[0]
    assert "0 of" in result.provenance.notes[0]


@pytest.mark.slow
def test_nan_only_on_the_neighbour_is_found() -> None:
    result = audited(nan_on_neighbour)
    # Fails for a correct program with probability < 1e-9: after one training of either side every guess is right.
    assert result.violated
    assert "gave NaN at 0" in result.provenance.notes[0]


@pytest.mark.slow
def test_a_length_that_depends_on_the_data_is_total_leakage() -> None:
    result = audited(longer_on_neighbour)
    bound = result.finding.bound
    # Fails for a correct program with probability < 1e-9: after one training of either side every guess is right.
    assert bound.epsilon == pytest.approx(bound.ceiling)
    assert "gave 3 numbers" in " ".join(result.provenance.notes)
    assert result.provenance.notes[-1].endswith("total leakage")


@pytest.mark.parametrize("output", [object(), [1.0, object()], {"a": len}])
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_a_learner_whose_output_cannot_be_read_is_told_so_in_one_sentence(output: Any, jobs: int) -> None:
    with pytest.raises(
        InvalidInput, match=r"^a mechanism must return numbers, text, or lists, dicts or tables of them, got \w+$"
    ):
        audited(lambda data, rng: output, engine=LokyEngine(jobs))


@dataclass(frozen=True)
class Sampled(NoisySum):
    """A batched path that returns whatever it is given."""

    output: Any = None

    def sample(self, data: Dataset, target: FloatArray | None, n: int, seed: SeedSequence) -> Any:
        return self.output if not callable(self.output) else self.output(n)


@pytest.mark.parametrize("output", [None, 0.0, np.zeros, lambda n: np.zeros((n - 1, 2))])
def test_a_batched_path_returns_one_row_per_training(output: Any) -> None:
    with pytest.raises(InvalidInput, match=r"sample\(\) must return one row per training, got .* for \d+ trainings"):
        audit(Sampled(output=output), pair=PAIR, trainings=500)


def test_a_batched_path_that_raises_shows_its_own_traceback() -> None:
    with pytest.raises(LearnerFailed, match="ZeroDivisionError"):
        audit(Sampled(output=lambda n: n / 0), pair=PAIR, trainings=500)


def test_non_finite_rows_of_a_batched_path_are_kinds_of_output() -> None:
    def holed(n: int) -> FloatArray:
        z = np.zeros((n, 2))
        z[::2, 1], z[1::4, 0] = np.nan, -np.inf
        return z

    draws = sampler(Sampled(output=holed))(LABELS)
    assert set(draws.kinds) == {"2 numbers", "2 numbers, NaN at 1", "2 numbers, -inf at 0"}


def key_of(mechanism: Mechanism, data: Dataset = PAIR.base, seed: int = 0, target: FloatArray | None = None) -> str:
    return TrainingStream(mechanism, data, target, seed).key


def test_another_mechanism_parameter_dataset_target_or_seed_shares_no_draws() -> None:
    keys = [
        key_of(NoisySum()),
        key_of(NoisySum(scale=2.0)),
        key_of(Sampled()),
        key_of(Laplace(1.0)),
        key_of(FunctionMechanism(noisy_sum, CLAIM)),
        key_of(FunctionMechanism(noisy_sum_elsewhere, CLAIM)),
        key_of(FunctionMechanism(partial(noisy_total, scale=1.0), CLAIM)),
        key_of(FunctionMechanism(partial(noisy_total, scale=2.0), CLAIM)),
        key_of(NoisySum(), PAIR.neighbour),
        key_of(NoisySum(), seed=1),
        key_of(NoisySum(), target=np.zeros(1)),
    ]
    assert len(set(keys)) == len(keys)


def test_closures_share_draws_exactly_where_they_captured_the_same() -> None:
    one, same_again, two = (key_of(FunctionMechanism(with_scale(scale), CLAIM)) for scale in (1.0, 1.0, 2.0))
    assert one == same_again != two


def test_lambdas_of_one_file_share_no_draws() -> None:
    one: Any = lambda data, rng: rng.normal()  # noqa: E731
    two: Any = lambda data, rng: 2 * rng.normal()  # noqa: E731
    assert key_of(FunctionMechanism(one, CLAIM)) == key_of(FunctionMechanism(one, CLAIM))
    assert key_of(FunctionMechanism(one, CLAIM)) != key_of(FunctionMechanism(two, CLAIM))


@pytest.mark.parametrize(
    "function",
    [noisy_sum, noisy_list, noisy_sum_elsewhere],
    ids=["in the body", "in a comprehension", "in a function it calls"],
)
def test_another_value_of_a_global_shares_no_draws(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(FunctionMechanism(function, CLAIM))
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)
    assert key_of(FunctionMechanism(function, CLAIM)) != before


@pytest.mark.parametrize(
    "make",
    [
        NoisySum,
        lambda: Laplace(1.0),
        lambda: FunctionMechanism(noisy_sum, CLAIM),
        lambda: FunctionMechanism(partial(noisy_total, scale=1.0), CLAIM),
        lambda: FunctionMechanism(with_scale(1.0), CLAIM),
    ],
    ids=["own fit", "batched", "function", "partial", "closure"],
)
@pytest.mark.slow
def test_an_identical_mechanism_shares_its_draws(make: Callable[[], Mechanism]) -> None:
    store = CountingStore()
    expected = sampler(make(), store=store)(LABELS)
    drawn = len(store.drawn)
    same(sampler(make(), store=store)(LABELS), expected)
    assert len(store.drawn) == drawn


def test_edited_source_shares_no_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before, same_again, edited = (_fingerprint_of(tmp_path / "mine.py", body) for body in ("1.0", "1.0", "2.0"))
    assert before == same_again != edited


def _fingerprint_of(path: Path, output: str) -> str:
    path.write_text(f"class Mine:\n    def fit(self, data, seed):\n        return {output}\n")
    spec = importlib.util.spec_from_file_location("learner_of_a_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["learner_of_a_test"] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        return fingerprint(module.Mine())
    finally:
        del sys.modules["learner_of_a_test"]


@pytest.mark.slow
def test_draws_on_the_base_are_shared_between_candidate_pairs() -> None:
    data = Dataset(default_rng(0).random(30))
    FITS.clear()
    result = audit(
        NoisySum(), data, attack=FarCorner(), rows=(1, 2, 4), trainings=1000, engine=InProcess(), repeat=False
    )
    pilot = 25  # a tenth of all trainings, over one base and three neighbours
    on_neighbours = [n for digest, n in FITS.items() if digest != data.digest]
    assert sum(FITS.values()) == 1000
    assert sorted(on_neighbours)[:2] == [pilot, pilot]
    assert FITS[result.pair.neighbour.digest] == max(on_neighbours) > 2 * pilot


def test_labels_of_one_arm_only_draw_only_that_arm() -> None:
    store = CountingStore()
    draw = sampler(NoisySum(), store=store)
    ones: IntArray = np.ones(10, dtype=np.int64)
    assert draw(ones).labels.tolist() == [1] * 10
    assert {key for key, _ in store.drawn} == {draw.streams[1].key}
