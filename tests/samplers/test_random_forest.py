"""The forest's samplers: the mirror gives the library's own labels, the others draw from their distribution."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import hypergeom

from mlaudit import Box, Dataset
from mlaudit.attacks.lone_flip import LoneFlip
from mlaudit.datasets._load import load_data
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.random_forest import RandomForest
from mlaudit.samplers import random_forest_batched as batched
from mlaudit.samplers import random_forest_mirror as mirror
from mlaudit.samplers._random_forest import read_forest
from mlaudit.testing.equivalence import compare
from mlaudit.types.arrays import FloatArray
from mlaudit.types.preparation import Preparation

BOTH = pytest.mark.parametrize("sampler", [batched, mirror], ids=["batched", "mirror"])
ULP = 2.0**-23  # between float32 numbers just above 1


@cache
def dataset(name: str) -> Dataset:
    """Scaled to [0, 1] as an audit has it, "raw" in its own units, or synthetic."""
    if name == "synthetic":
        rng = default_rng(0)
        X = rng.normal(size=(120, 12))
        data = Dataset(X, (X[:, :3].sum(axis=1) + rng.normal(size=120) > 0).astype(int))
    elif name.startswith("raw "):
        data = load_data(name.removeprefix("raw "), how=Preparation(rows=120, categorical="drop", scale="none"))
    else:
        data = load_data(name, how=RandomForest.traits.preparation)
    return data.within(RandomForest().domain(data))


def rows(data: Dataset, which: Any, labels: tuple[Any, Any] | None = None) -> Dataset:
    """Some rows of D, in D's domain; with other labels, if wanted."""
    y = np.asarray(data.y)
    box = data.domain
    assert isinstance(box, Box)
    if labels is None:
        return data.with_rows(data.X[which], y[which])
    return Dataset(data.X[which], np.array(labels)[y[which]], Box(box.low, box.high, labels))


def neighbour(data: Dataset) -> tuple[Dataset, FloatArray]:
    """One lonely row replaced, and x*."""
    pair = LoneFlip()(RandomForest(), data, 1, default_rng(0))
    assert pair.target is not None
    return pair.neighbour, pair.target


def columns(*parts: Any, box: Box | None = None) -> Dataset:
    """A dataset of these columns, with labels that alternate by threes."""
    X = np.column_stack(parts)
    y = np.arange(len(X)) // 3 % 2
    return Dataset(X, y, box or Box.enclosing(X, (0, 1)))


@dataclass(frozen=True)
class Setting:
    """A forest, its data and x*."""

    forest: RandomForest
    data: Dataset
    target: FloatArray

    def prepare(self, sampler: ModuleType) -> Any:
        return sampler.prepare(self.forest, self.data, self.target)


def forest(epsilon: float = 1.0, trees: int = 3, depth: int = 4) -> RandomForest:
    return RandomForest(epsilon=epsilon, trees=trees, depth=depth)


def settings() -> dict[str, Setting]:
    """Where a sampler could leave the library."""
    iris, cancer, raw = dataset("iris"), dataset("breast_cancer"), dataset("raw breast_cancer")
    raw_iris, synthetic = dataset("raw iris"), dataset("synthetic")
    some = np.arange(40, 61)
    fine = default_rng(1).integers(0, 5, size=(30, 2)) * ULP + 1.0
    spread = np.linspace(0.0, 10.0, 30)
    coarse = columns(fine, spread, 5.0 + fine[:, ::-1])
    crowded = np.linspace(0.0, 1.0, 130) ** 8
    tenth = columns(np.full(30, 0.1), spread, spread[::-1] ** 2)
    return {
        "iris, a row": Setting(forest(), iris, iris.X[3]),
        "iris, epsilon 0.1": Setting(forest(0.1), iris, iris.X[70]),
        "iris, epsilon 8": Setting(forest(8.0), iris, iris.X[70]),
        "iris, elsewhere": Setting(forest(trees=5, depth=3), iris, np.array([0.31, 0.2, 0.77, 0.5])),
        "iris, outside the box": Setting(forest(), iris, np.array([1.5, -0.2, 0.5, 0.5])),
        "iris, a neighbour": Setting(forest(), *neighbour(iris)),
        "iris, own units": Setting(forest(), raw_iris, raw_iris.X[60]),
        "cancer, 61 rows": Setting(forest(trees=7, depth=5), rows(cancer, slice(61)), cancer.X[10]),
        "cancer, one tree": Setting(forest(8.0, trees=1, depth=2), cancer, cancer.X[10]),
        "cancer, epsilon 8": Setting(forest(8.0, depth=6), rows(cancer, slice(100)), cancer.X[200]),
        "cancer, own units": Setting(forest(), raw, raw.X[10]),
        "cancer, own units, a neighbour": Setting(forest(0.1), *neighbour(raw)),
        "synthetic": Setting(forest(depth=3), synthetic, synthetic.X[5]),
        "depth 1": Setting(forest(depth=1), iris, iris.X[3]),
        "one column": Setting(forest(), columns(spread), np.array([4.0])),
        "fewer rows than trees": Setting(forest(trees=7, depth=2), rows(iris, some[:3]), iris.X[41]),
        "the same row many times": Setting(forest(), rows(iris, [3] * 10 + [70] * 11), iris.X[3]),
        "labels 3 and 7": Setting(forest(8.0), rows(iris, some, (3, 7)), iris.X[41]),
        "labels 1 and 2": Setting(forest(8.0), rows(iris, some, (1, 2)), iris.X[41]),
        "labels -1 and 1": Setting(forest(8.0), rows(iris, some, (-1, 1)), iris.X[41]),
        "labels false and true": Setting(forest(8.0), rows(iris, some, (False, True)), iris.X[41]),
        "labels in another order": Setting(forest(8.0), relabelled_box(iris, (1, 0)), iris.X[41]),
        "one range for all columns": Setting(
            forest(), columns(spread, spread[::-1], box=Box(-1, 11, (0, 1))), fine[0]
        ),
        "crowded rows, many in a tree": Setting(forest(trees=1, depth=8), columns(crowded), np.array([0.02])),
        "neighbouring float32 numbers": Setting(forest(depth=5), coarse, coarse.X[4]),
        "and one range for all columns": Setting(forest(depth=5), columns(fine), fine[4]),
        "a constant that float32 rounds up": Setting(forest(8.0), tenth, tenth.X[4]),
        "an epsilon that overflows": Setting(forest(1e308), iris, iris.X[3]),
    }


def relabelled_box(data: Dataset, labels: tuple[int, int]) -> Dataset:
    box = data.domain
    assert isinstance(box, Box)
    return data.within(Box(box.low, box.high, labels))


SETTINGS = settings()
AT_SETTINGS = pytest.mark.parametrize("setting", SETTINGS.values(), ids=list(SETTINGS))


def library(setting: Setting, seed: int, words: tuple[int, ...], places: range) -> FloatArray:
    """τ of the library's own fits."""
    seeds = [SeedSequence(seed, spawn_key=(*words, place)) for place in places]
    return np.array([setting.forest.summary(setting.forest.fit(setting.data, s), setting.target) for s in seeds])


# --- the mirror ----------------------------------------------------------------------------------------------------


@pytest.mark.extra("diffprivlib")
def test_samplers_stand_for_the_installed_library() -> None:
    assert {module.SAMPLER.stands_for["diffprivlib"] for module in (batched, mirror)} == {version("diffprivlib")}


@pytest.mark.slow
@AT_SETTINGS
def test_mirror_gives_the_library_s_own_labels(setting: Setting) -> None:
    places = range(5, 20)
    ours = setting.prepare(mirror)(2**70 + 3, (1, 2**40), np.array(places))
    np.testing.assert_array_equal(ours, library(setting, 2**70 + 3, (1, 2**40), places))


@pytest.mark.parametrize(
    ("name", "epsilon", "places"),
    [("iris", 1.0, range(2)), ("iris", 8.0, range(2)), ("breast_cancer", 1.0, range(2))],
)
@pytest.mark.slow
def test_mirror_gives_the_library_s_own_labels_in_forests_of_full_size(
    name: str, epsilon: float, places: range
) -> None:
    setting = Setting(RandomForest(epsilon=epsilon), *neighbour(dataset(name)))
    np.testing.assert_array_equal(setting.prepare(mirror)(11, (), np.array(places)), library(setting, 11, (), places))


def test_mirror_reads_each_place_by_itself() -> None:
    draw = SETTINGS["iris, a row"].prepare(mirror)
    some = draw(1, (2,), np.array([9, 4, 4]))
    np.testing.assert_array_equal(some, draw(1, (2,), np.arange(10))[[9, 4, 4]])


# --- equal distributions -------------------------------------------------------------------------------------------

N = 9_000
GRID = [
    *((name, epsilon, 15, 5) for name in ("iris", "breast_cancer", "synthetic") for epsilon in (0.1, 1.0, 8.0)),
    ("iris", 1.0, 15, 10),
]
LEVEL = 1e-7  # of each comparison that a right sampler must pass


@cache
def mirrored(name: str, epsilon: float, trees: int, depth: int, seed: int = 1) -> FloatArray:
    setting = Setting(RandomForest(epsilon=epsilon, trees=trees, depth=depth), *neighbour(dataset(name)))
    drawn: FloatArray = setting.prepare(mirror)(seed, (), np.arange(N))
    return drawn


# Fails for a correct program with probability < 1.1e-6: ten p-values of a valid test, each of which is below LEVEL
# with probability LEVEL at most.
@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("name", "epsilon", "trees", "depth"), GRID)
def test_batches_have_the_mirror_s_distribution(name: str, epsilon: float, trees: int, depth: int) -> None:
    setting = Setting(RandomForest(epsilon=epsilon, trees=trees, depth=depth), *neighbour(dataset(name)))
    theirs = mirrored(name, epsilon, trees, depth)
    assert compare(theirs, setting.prepare(batched)(N, SeedSequence(2))).pvalue > LEVEL


# Fails for a correct program with probability < 1e-7: the p-value of a valid test.
@pytest.mark.slow
@pytest.mark.statistical
def test_the_control_mirror_against_mirror() -> None:
    assert compare(mirrored(*GRID[1]), mirrored(*GRID[1], seed=4)).pvalue > LEVEL


def frequencies_differ(first: FloatArray, second: FloatArray, label: float) -> float:
    """A p-value, Bonferroni over trees and both sides, for equal frequencies of a label; exact, if rare, too."""
    a, b = (first == label).sum(axis=0), (second == label).sum(axis=0)
    law = hypergeom(len(first) + len(second), a + b, len(first))
    return float(min(1.0, 2 * len(a) * np.minimum(law.cdf(a), law.sf(a - 1)).min()))


# Fails for a correct program with probability < 3e-6: an exact p-value in each of 28 settings.
@pytest.mark.slow
@pytest.mark.statistical
@AT_SETTINGS
def test_frequencies_of_labels_agree_wherever_the_library_is_odd(setting: Setting) -> None:
    theirs = setting.prepare(mirror)(5, (), np.arange(20_000))
    first, second = setting.prepare(mirror).forest.labels
    assert np.isin(theirs, (first, second)).all()
    ours = setting.prepare(batched)(60_000, SeedSequence(6))
    assert np.isin(ours, (first, second)).all()
    assert frequencies_differ(theirs, ours, second) > LEVEL


# --- and a sampler without one of the library's habits is found out ------------------------------------------------


def with_table(setting: Setting, table: Callable[[FloatArray, FloatArray], FloatArray]) -> Any:
    """The batched sampler, with other label probabilities: of the leads, and of the true ones."""
    drawn = setting.prepare(batched)
    true = drawn.cells.second_wins
    leads = np.arange(len(true), dtype=float) - len(true) // 2
    return replace(drawn, cells=drawn.cells._replace(second_wins=table(leads, true)))


def exponential(setting: Setting) -> Any:
    return with_table(setting, lambda leads, _: 1 / (1 + np.exp(-setting.forest.epsilon * leads)))


def empty_leaves_take_the_first_class(setting: Setting) -> Any:
    return with_table(setting, lambda leads, true: np.where(leads == 0, 0.0, true))


def dealt(setting: Setting) -> Any:
    """Rows are dealt to trees in turn."""
    trees = setting.forest.trees
    order = np.argsort(np.arange(len(setting.data)) % trees, kind="stable")
    return replace(setting, data=rows(setting.data, order)).prepare(batched)


def shared_budget(setting: Setting) -> Any:
    less = replace(setting.forest, epsilon=setting.forest.epsilon / setting.forest.trees)
    return replace(setting, forest=less).prepare(batched)


def halved_budget(setting: Setting) -> Any:
    """As if counts were not monotonic."""
    return replace(setting, forest=replace(setting.forest, epsilon=setting.forest.epsilon / 2)).prepare(batched)


def shallower(setting: Setting) -> Any:
    return replace(setting, forest=replace(setting.forest, depth=setting.forest.depth - 1)).prepare(batched)


def exact_point(setting: Setting) -> Any:
    """x* in float64."""
    read = read_forest(setting.forest, setting.data, setting.target)
    return batched.Batch(batched._pack_forest(read._replace(point=setting.target)))


def honest_labels(setting: Setting) -> Any:
    """Leaves count the labels they are given."""
    read = read_forest(setting.forest, setting.data, setting.target)
    votes = np.where(setting.data.y == read.labels[1], 1, -1)
    return batched.Batch(batched._pack_forest(read._replace(votes=votes)))


IRIS_ROW = Setting(forest(trees=5, depth=3), dataset("iris"), dataset("iris").X[55])
# Two rows in each tree, x* among those of the first: leads of one or two, where the mechanisms differ most.
LONELY = Setting(forest(trees=5, depth=3), rows(dataset("iris"), range(50, 100, 5)), dataset("iris").X[55])
WITHOUT = {
    "permute-and-flip": (exponential, LONELY),
    "uniform labels of empty leaves": (
        empty_leaves_take_the_first_class,
        Setting(forest(trees=5, depth=8), dataset("iris"), np.array([1.0, 0.0, 0.0, 1.0])),
    ),
    "rows in their order": (dealt, IRIS_ROW),
    "all of epsilon in each tree": (shared_budget, IRIS_ROW),
    "all of epsilon for monotonic counts": (halved_budget, LONELY),
    "full depth": (shallower, IRIS_ROW),
    "x* in float32": (exact_point, SETTINGS["a constant that float32 rounds up"]),
    "labels taken for places among the classes": (honest_labels, SETTINGS["labels 3 and 7"]),
}


# Fails for a correct program with probability < 1e-6: eight p-values above LEVEL; the least of the eight shares of
# right guesses is 0.560 of 9 000, where 0.526 are enough for p < 1e-6: 6.5 binomial deviations away.
@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("altered", "setting"), WITHOUT.values(), ids=list(WITHOUT))
def test_a_sampler_without_this_habit_is_found_out(altered: Callable[[Setting], Any], setting: Setting) -> None:
    theirs = setting.prepare(mirror)(7, (), np.arange(N))
    assert compare(theirs, altered(setting)(N, SeedSequence(8))).pvalue < 1e-6
    assert compare(theirs, setting.prepare(batched)(N, SeedSequence(8))).pvalue > LEVEL


# --- use -----------------------------------------------------------------------------------------------------------


# Fails for a correct program with probability < 1e-9: of 50 rows 30 differ, with a deviation of 2.6 (of 60 seeds).
def test_draws_depend_on_the_seed_and_the_row_alone() -> None:
    draw = SETTINGS["cancer, 61 rows"].prepare(batched)
    first = draw(50, SeedSequence(1, spawn_key=(2,)))
    np.testing.assert_array_equal(first, draw(50, SeedSequence(1, spawn_key=(2,))))
    np.testing.assert_array_equal(first[:7], draw(7, SeedSequence(1, spawn_key=(2,))))
    assert (first != draw(50, SeedSequence(1, spawn_key=(3,)))).any()
    assert len(np.unique(first, axis=0)) > 10
    assert first.shape == (50, 7)
    assert draw(0, SeedSequence(1)).shape == (0, 7)


@BOTH
def test_samplers_can_be_sent_to_workers(sampler: ModuleType) -> None:
    draw = SETTINGS["iris, own units"].prepare(sampler)
    sent = pickle.loads(pickle.dumps(draw))
    given: tuple[Any, ...] = (4, (1,), np.arange(30)) if sampler is mirror else (30, SeedSequence(4))
    np.testing.assert_array_equal(sent(*given), draw(*given))


@BOTH
def test_a_pair_without_a_target_is_refused(sampler: ModuleType) -> None:
    data = dataset("iris")
    model = forest().fit(data, SeedSequence(0))
    with pytest.raises(InvalidInput) as ours:
        sampler.prepare(forest(), data, None)
    with pytest.raises(InvalidInput) as theirs:
        forest().summary(model, None)
    assert str(ours.value) == str(theirs.value)


def test_data_that_the_samplers_were_not_written_for_are_left_to_the_library() -> None:
    X = np.arange(6.0)[:, None]
    box = Box(0, 5)
    three, text, none = (
        Dataset(X, [0, 1, 2] * 2, replace_labels(box, (0, 1, 2))),
        Dataset(X, ["a", "b"] * 3, replace_labels(box, ("a", "b"))),
        Dataset(X, None, box),
    )
    large = Dataset(X * 1e38, [0, 1] * 3, Box(0, 5e38, (0, 1)))
    for data, reason in ((three, "two classes"), (none, "two classes"), (text, "not numbers"), (large, "too large")):
        for sampler in (batched, mirror):
            assert reason in sampler.SAMPLER.refusal(forest(), data)
            with pytest.raises(InvalidInput, match=reason):
                sampler.prepare(forest(), data, X[0])
    assert not mirror.SAMPLER.refusal(forest(), dataset("iris"))


def replace_labels(box: Box, labels: tuple[Any, ...]) -> Box:
    return Box(box.low, box.high, labels)
