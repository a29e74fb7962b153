"""The search finds what there is to find, spends what it says, and never counts what chose."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, SeedSequence, default_rng

from mlaudit import Claim, Dataset, Pair, Relation, audit
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.attacks.far_corner import FarCorner
from mlaudit.attacks.search import Search
from mlaudit.drawing.engines.in_process import InProcess
from mlaudit.drawing.engines.loky import LokyEngine
from mlaudit.drawing.loop import DrawingLoop
from mlaudit.drawing.outcome import observe, pack, pack_rows
from mlaudit.drawing.pilots import Pilots, PilotStream
from mlaudit.drawing.stores.memory import MemoryStore
from mlaudit.drawing.stream import TrainingStream
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.laplace import Laplace
from mlaudit.procedures.sequential import Sequential
from mlaudit.search.loss import cautious_loss
from mlaudit.search.run import search_neighbours
from mlaudit.search.score import shift
from mlaudit.search.worst import Worst
from mlaudit.types.block import Block
from mlaudit.types.domain import Box
from mlaudit.types.finding import Finding

RNG = default_rng(0)


def one_block(z: Any) -> Block:
    return pack_rows(np.asarray(z, dtype=float), None, (0.0, 0.0))


# Fails for a correct program with probability < 1e-9: the estimate from 2 000 draws has a deviation of 1.6 %.
def test_a_shift_is_in_units_of_the_noise() -> None:
    noise, by = RNG.normal(size=(2000, 2)), np.array([0.0, 3.0])
    still, moved = one_block(noise), one_block(noise + by)
    assert shift(still, still) == 0
    assert shift(still, moved) == pytest.approx(3.0, rel=0.25)
    assert shift(one_block(100 * noise), one_block(100 * (noise + by))) == pytest.approx(shift(still, moved))


# Fails for a correct program with probability < 1e-9: a spread of 5 counts 1.21, with a deviation of 0.04 (of 60
# seeds).
def test_a_changed_spread_a_changed_kind_and_an_exact_value_count() -> None:
    noise = RNG.normal(size=(16, 1))
    assert shift(one_block(noise), one_block(5 * noise)) > 0.5
    assert shift(one_block(np.zeros((16, 1))), one_block(np.ones((16, 1)))) == 16
    raised = pack([observe(lambda: 1 / 0)] * 16, (0.0, 0.0))
    assert shift(one_block(noise), raised) == 16


def test_a_rare_output_that_came_on_one_side_only_is_no_proof() -> None:
    never, rare = np.zeros((64, 30)), np.zeros((64, 30))
    rare[np.arange(30), np.arange(30)] = 1.0  # once in every column
    half = never.copy()
    half[:32] = 1.0
    assert shift(one_block(never), one_block(rare)) < 0.5
    assert shift(one_block(never), one_block(half)) > 2


# Fails for a correct program with probability < 1e-9: in 25 seeds of 4 000 draws the shifts differ by 0.08 with a
# deviation of 0.06, the loss of two is 1.93 with 0.06 and 1.47 times that of five with 0.05; 100 000 draws make these
# a fifth.
@pytest.mark.slow
def test_a_loss_is_not_a_shift() -> None:
    """Where five compete the shift is the greater, where two do the loss."""

    def elected(votes: int, candidates: int) -> Block:
        noisy = default_rng(5).exponential(size=(100_000, candidates))
        noisy[:, 0] += votes
        return one_block(np.eye(candidates)[noisy.argmax(axis=1)])

    two, five = ((elected(0, n), elected(2, n)) for n in (2, 5))
    assert shift(*five) > shift(*two)
    assert cautious_loss(*two) > 1.1 * cautious_loss(*five)
    assert cautious_loss(*two) < 2.1  # 2 is true


def test_pilots_have_the_same_seeds_on_all_data_and_none_of_a_verdict() -> None:
    one, other = Dataset([0.0]), Dataset([1.0])
    streams = [PilotStream(Laplace(), data, None, 7) for data in (one, other)]
    assert streams[0].spawn_key == streams[1].spawn_key
    assert streams[0].key != streams[1].key
    assert all(TrainingStream(Laplace(), data, None, 7).spawn_key != streams[0].spawn_key for data in (one, other))
    difference = streams[1].draw(0, 8).z - streams[0].draw(0, 8).z
    np.testing.assert_allclose(difference, 1.0)


def test_pilots_are_paid_once_and_found_again() -> None:
    store = MemoryStore()
    pilots = Pilots(0, DrawingLoop(LokyEngine(), store))
    stream = PilotStream(Laplace(), Dataset([0.0]), None, 0)
    few, many = pilots.draw([(stream, 4)])[0], pilots.draw([(stream, 16), (stream, 8)])[0]
    assert pilots.spent == 16
    np.testing.assert_array_equal(few.z, many.z[:4])
    again = Pilots(0, DrawingLoop(LokyEngine(), store))
    np.testing.assert_array_equal(again.draw([(stream, 16)])[0].z, many.z)


@dataclass(frozen=True)
class Recorded(MemoryStore):
    """Remembers the order in which blocks come."""

    puts: list[tuple[str, int, int]] = field(default_factory=list)

    def put(self, key: str, start: int, block: Block) -> None:
        self.puts.append((key, start, start + len(block)))
        super().put(key, start, block)


@dataclass(frozen=True)
class Watching:
    """A procedure that notes what it is given."""

    inner: Sequential
    before: Callable[[], None]
    seen: list[Any]

    def __call__(self, draw: Any, claim: Claim, pair: Pair, alpha: float) -> Finding:
        self.before()

        class Noted:
            pilot = draw.pilot
            remaining = property(lambda _: draw.remaining)
            coins = staticmethod(draw.coins)

            def __call__(inner, labels: Any) -> Any:  # noqa: N805 - self is the procedure
                drawn = draw(labels)
                self.seen.append(drawn)
                return drawn

        return self.inner(Noted(), claim, pair, alpha)

    def confirm(self, draw: Any, claim: Claim, pair: Pair, alpha: float, finding: Finding) -> Finding:
        return finding


@pytest.mark.slow
def test_the_verdict_counts_no_training_that_any_choice_has_seen() -> None:
    store = Recorded()
    chosen_by: list[Any] = []
    seen: list[Any] = []
    plan = Watching(Sequential(), lambda: chosen_by.extend(store.puts), seen)
    learner = FittedMechanism(NoisySums(), Claim(1.0))
    result = audit(learner, Dataset(RNG.random((12, 2))), procedure=plan, trainings=600, store=store)
    assert chosen_by
    counted = {
        (stream, int(index)) for d in seen for label, stream in enumerate(d.streams) for index in d.indices(label)
    }
    looked_at = {(key, index) for key, start, stop in chosen_by for index in range(start, stop)}
    assert counted
    assert not counted & looked_at
    assert result.provenance.trainings == 600
    pilots = sum(stop - start for _, start, stop in chosen_by)
    assert pilots <= 0.2 * 600


class NoisySums:
    """Sums of columns in [0, 1]; exactly ε-DP for ε = 1, replace-one."""

    bounds: Any = (0, 1)

    def fit(self, X: Any, rng: Generator) -> Any:
        return X.sum(axis=0) + rng.laplace(scale=X.shape[1], size=X.shape[1])


def lone_label(data: Dataset, rng: Generator) -> float:
    """Counts the rows with the last label, with half the noise."""
    y = np.asarray(data.y)
    return float((y == y.max()).sum() + rng.laplace(scale=0.25))


def greatest_target(data: Dataset, rng: Generator) -> float:
    return float(np.asarray(data.y).sum() + rng.laplace(scale=0.25))


def second_column(data: Dataset, rng: Generator) -> float:
    return float(data.X[:, 1].sum() + rng.laplace(scale=0.25))


def last_row(data: Dataset, rng: Generator) -> float:
    return float(data.X[-1].sum() + rng.laplace(scale=0.25))


TABLE = default_rng(1).random((12, 3))
SQUARE = Box([0.0] * 3, [1.0] * 3)
LEAKS: dict[str, tuple[Any, Any]] = {
    "no labels": (second_column, None),
    "two classes": (lone_label, np.arange(12) % 2),
    "many classes": (lone_label, np.arange(12) % 4),
    "numbers to predict": (greatest_target, np.linspace(0, 1, 12)),
    "a row's index": (last_row, None),
}


# Fails for a correct program with probability < 1e-6: in 12 seeds of each of the five the claim was refuted after 25
# to 90 trainings; 3 200, the budget without the search, are 17 deviations of the logarithm away.
@pytest.mark.parametrize("kind", LEAKS)
@pytest.mark.slow
def test_a_search_finds_a_leak_whatever_the_labels(kind: str) -> None:
    function, y = LEAKS[kind]
    result = audit(
        function,
        Dataset(TABLE, y, SQUARE),
        claim=Claim(1.0),
        attack=Search(),
        rows=1,
        procedure=Sequential(),
        trainings=4000,
    )
    assert result.violated, result.attack


# Fails for a correct program with probability < 1e-6: pilots have the same noise on all data, so that the largest
# change is known by its shift; it was chosen in 12 of 12 seeds.
@pytest.mark.slow
def test_under_add_remove_rows_come_and_go() -> None:
    found = search_neighbours(
        Laplace(1.0, Relation.ADD_REMOVE), Dataset(TABLE), Relation.ADD_REMOVE, (1,), 600, 0, sampler="auto"
    )
    best = found.candidates[0]
    assert best.pair.steps(Relation.ADD_REMOVE) == 1
    added = best.pair.neighbour.X.sum() - best.pair.base.X.sum()
    assert abs(added) > 2.5  # a whole row of ones more, or nearly
    assert found.spent <= 600


@pytest.mark.parametrize("change", ["add", "remove"])
def test_a_search_can_be_held_to_one_change(change: str) -> None:
    pair = Search(change=change)(Laplace(), Dataset(TABLE, None, SQUARE), 2, default_rng(0))
    assert len(pair.neighbour) - len(pair.base) == (2 if change == "add" else -2)


@pytest.mark.slow
def test_the_numbers_are_the_same_for_any_number_of_workers() -> None:
    def bound(jobs: int) -> tuple[str, float, tuple[str, ...]]:
        result = audit(Laplace(), Worst(), rows=1, trainings=500, engine=LokyEngine(jobs))
        return result.attack, result.epsilon_lower, result.provenance.notes

    assert bound(1) == bound(2)


@pytest.mark.slow
def test_a_search_goes_on_where_it_was_stopped() -> None:
    store = Recorded()
    learner = FittedMechanism(NoisySums(), Claim(1.0))
    first = audit(learner, Dataset(TABLE), rows=1, trainings=400, store=store)
    drawn = len(store.puts)
    assert audit(learner, Dataset(TABLE), rows=1, trainings=400, store=store).epsilon_lower == first.epsilon_lower
    assert len(store.puts) == drawn


# Fails for a correct program with probability < 1e-7: in 12 seeds the bound is 0.923 ε and 0.94 ε, with deviations of
# 0.029 ε and 0.024 ε: 0.7 ε is 7.7 of them away.
@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_the_worst_data_come_near_the_truth(epsilon: float) -> None:
    result = audit(Laplace(epsilon), Worst(), trainings=8000)
    assert 0.7 * epsilon < result.epsilon_lower
    assert "the search tried" in result.provenance.notes[0]


@pytest.mark.slow
def test_bounds_of_many_columns_are_kept() -> None:
    class Four(NoisySums):
        bounds = ([0, 0, 0, 5], [1, 1, 1, 6])

    result = audit(FittedMechanism(Four(), Claim(1.0)), Worst(), rows=1, trainings=300)
    assert result.pair.base.X.shape[1] == 4
    assert (result.pair.base.X[:, 3] >= 5).all()


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "no domain": (lambda: audit(second_column, Worst(), claim=Claim(1.0)), "give --bounds LOW,HIGH"),
    "an attack": (lambda: audit(Laplace(), Worst(), attack=FarCorner()), "uses the search"),
    "its own domain": (lambda: audit(Laplace(), Worst(vary=True)), "declares its domain by itself"),
    "two searches": (
        lambda: audit(Laplace(), Dataset(TABLE), attack=[Search(), Search()]),
        "give the attack search only once",
    ),
    "too many rows": (lambda: audit(Laplace(), Dataset([0.0, 1.0]), attack=Search(), rows=5), "ask for fewer rows"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_searched_is_refused_in_a_sentence(what: str) -> None:
    call, sentence = REFUSED[what]
    with pytest.raises(InvalidInput, match=sentence):
        call()


def test_bounds_must_be_two_values() -> None:
    class Unbounded(NoisySums):
        bounds = "wide"

    with pytest.raises(InvalidInput, match="bounds must be"):
        FittedMechanism(Unbounded(), Claim(1.0))


class FromTheSystem:
    """A learner that no seed reaches: the first column counts, the others are noise."""

    bounds = (0, 1)

    def fit(self, X: Any) -> Any:
        return X[:, 0].sum() + np.random.default_rng().laplace(scale=0.5)


@pytest.mark.slow
def test_a_search_for_an_unseedable_learner_ranks_by_more_pilots() -> None:
    """Three searches for the shift of 0.7 deviations; that all three miss it has a probability below 1e-3."""
    data = Dataset(np.full((20, 2), 0.5))
    shifts = []
    for seed in range(3):
        pilots = Pilots(seed, DrawingLoop(InProcess()))
        learner = FittedMechanism(FromTheSystem(), Claim(1.0))
        found = search_neighbours(learner, data, Relation.REPLACE_ONE, (1,), 600, seed, pilots=pilots)
        best = found.candidates[0].pair
        shifts.append(abs(best.base.X[:, 0].sum() - best.neighbour.X[:, 0].sum()))
        assert found.tried < 600 / 16
    assert max(shifts) == 0.5


def test_a_learner_that_returns_nothing_is_read_by_its_attributes() -> None:
    class Leaves:
        bounds = (0, 1)
        labels = ("a", "b")

        def fit(self, X: Any, y: Any, random_state: Any) -> None:
            self.total_ = X.sum() + random_state.laplace()
            self.classes_ = len(set(y))

    learner = FittedMechanism(Leaves(), Claim(1.0))
    model = learner.fit(Dataset([0.0, 1.0], ["a", "b"]), SeedSequence(0))
    assert learner.summary(model, None).tolist()[0] == 2
    domain = learner.domain(Dataset([0.0]))
    assert domain is not None
    assert domain.labels == ("a", "b")
    assert not hasattr(learner.learner, "total_")


@pytest.mark.parametrize("budget", [20, 28, 44, 80])
def test_a_learner_that_cannot_be_seeded_is_searched_with_every_budget(budget: int) -> None:
    """A budget that is no power of two once asked for pilots between two edges, of which there are none."""

    def unseedable(data: Dataset, rng: Any) -> float:
        return float(data.X.sum() + default_rng().laplace())

    data = Dataset([0.0, 0.5, 1.0], domain=Box([0.0], [1.0]))
    found = search_neighbours(
        FunctionMechanism(unseedable, Claim(1.0)),
        data,
        Relation.REPLACE_ONE,
        (1,),
        budget,
        0,
        pilots=Pilots(0, DrawingLoop(InProcess())),
    )
    assert found.candidates
