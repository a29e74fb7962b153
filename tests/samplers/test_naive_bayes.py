"""diffprivlib's Naive Bayes by its mirror (equal, seed by seed) and in batches (equal in distribution)."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng

from mlaudit.datasets._load import load_data
from mlaudit.mechanisms.naive_bayes import NaiveBayes
from mlaudit.samplers import naive_bayes_batched, naive_bayes_mirror
from mlaudit.samplers._gaussian_nb import bounded_scale
from mlaudit.testing.equivalence import compare
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.preparation import Preparation

WORDS = (7, 2**32 - 1, 0, 12345)
DRAWS = 5_000


def lopsided() -> Dataset:
    """Three rows against thirty, columns far from zero and of very different width, a repeated row."""
    rng = default_rng(5)
    X = rng.normal(size=(33, 3)) * [0.01, 1.0, 50.0] + [10.0, -3.0, 0.0]
    X[4] = X[5]
    return Dataset(X, np.repeat([2, 9], [3, 30]), name="lopsided")


DATA = {
    "iris": load_data("iris"),
    "iris in cm": load_data("iris", how=Preparation(scale="none")),
    "breast_cancer": load_data("breast_cancer"),
    "lopsided": lopsided(),
    "one class": Dataset(DATA_X := default_rng(1).random((12, 2)), np.r_[np.zeros(11), 1].astype(int)),
}


def fixed(name: str, learner: NaiveBayes) -> Dataset:
    data = DATA[name]
    data = data.within(learner.domain(data))
    if name == "one class":  # what removing the lone row leaves
        return data.with_rows(DATA_X[:11], np.zeros(11, dtype=int))
    return data


def by_library(learner: NaiveBayes, data: Dataset, seed: int, places: range) -> FloatArray:
    fits = (learner.fit(data, SeedSequence(seed, spawn_key=(*WORDS, place))) for place in places)
    return np.array([learner.summary(model, None) for model in fits])


def by_mirror(learner: NaiveBayes, data: Dataset, seed: int, places: range) -> FloatArray:
    return naive_bayes_mirror.prepare(learner, data, None)(seed, WORDS, np.arange(places.start, places.stop))


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 8.0, 50.0])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.slow
def test_the_mirror_is_the_library_seed_by_seed(name: str, epsilon: float) -> None:
    learner = NaiveBayes(epsilon, counts=True)
    data, places = fixed(name, learner), range(3, 15) if name == "breast_cancer" else range(3, 33)
    for seed in (0, 2**80 + 1):
        expected = by_library(learner, data, seed, places)
        np.testing.assert_allclose(by_mirror(learner, data, seed, places), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_a_bound_passed_by_one_bit_or_a_count_moved_by_one_would_show() -> None:
    learner = NaiveBayes(1.0, counts=True)
    data = fixed("iris", learner)
    ours, theirs = by_mirror(learner, data, 0, range(50)), by_library(learner, data, 0, range(50))
    assert (ours[:, -2:] == theirs[:, -2:]).all()  # counts, exactly
    other = replace(learner, epsilon=1.0 + 1e-6)
    assert not np.allclose(by_mirror(other, data, 0, range(50)), theirs, rtol=1e-9, atol=1e-12)


LEVEL = 1e-7  # of each comparison that a right sampler must pass


# Fails for a correct program with probability < 9e-7: nine p-values of a valid test, each of which is below LEVEL
# with probability LEVEL at most.
@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("name", ["iris in cm", "breast_cancer", "lopsided"])
def test_batches_are_drawn_from_the_librarys_distribution(name: str, epsilon: float) -> None:
    learner = NaiveBayes(epsilon)
    data = fixed(name, learner)
    batched = naive_bayes_batched.prepare(learner, data, None)(DRAWS, SeedSequence(1))
    assert compare(batched, by_mirror(learner, data, 0, range(DRAWS))).pvalue > LEVEL


# Fails for a correct program with probability < 1e-7: the p-value of a valid test.
@pytest.mark.slow
def test_the_control_mirror_against_mirror() -> None:
    learner = NaiveBayes(1.0)
    data = fixed("iris in cm", learner)
    first, second = by_mirror(learner, data, 0, range(DRAWS)), by_mirror(learner, data, 1, range(DRAWS))
    assert compare(first, second).pvalue > LEVEL


# With the ε at which each of them matters on iris.
QUIRKS = {
    "counts not repaired": 0.1,
    "clamped, not bounded-domain": 0.1,
    "scale of plain Laplace": 8.0,
    "budget not split by columns": 0.1,
}


# Fails for a correct program with probability < 1e-9: the least of the four shares of right guesses is 0.74 of 5 000,
# where 0.535 are enough for p < 1e-6: 33 binomial deviations away.
@pytest.mark.slow
@pytest.mark.parametrize("quirk", QUIRKS)
def test_a_sampler_without_one_quirk_is_told_from_the_library(quirk: str) -> None:
    """By draws made here without the quirk, all else as in the library."""
    learner = NaiveBayes(QUIRKS[quirk])
    data = fixed("iris", learner)
    wrong = _without(quirk, data, learner.epsilon, default_rng(3))
    assert compare(wrong, by_mirror(learner, data, 0, range(DRAWS))).pvalue < 1e-6


# Fails for a correct program with probability < 2e-7: two p-values of a valid test.
@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 8.0])
def test_the_draws_made_here_with_every_quirk_are_not(epsilon: float) -> None:
    learner = NaiveBayes(epsilon)
    data = fixed("iris", learner)
    right = _without("", data, epsilon, default_rng(3))
    assert compare(right, by_mirror(learner, data, 0, range(DRAWS))).pvalue > LEVEL


def _without(quirk: str, data: Dataset, epsilon: float, rng: np.random.Generator) -> FloatArray:
    """GaussianNB on the unit box, once more and slowly, with one thing left out."""
    X, y, n, d = data.X, np.asarray(data.y), len(data), data.X.shape[1]
    sizes = np.array([(y == k).sum() for k in (0, 1)])
    p = 1 - np.exp(-epsilon / 3)
    noisy = np.clip(sizes + rng.geometric(p, (DRAWS, 2)) - rng.geometric(p, (DRAWS, 2)), 1, n)
    if quirk != "counts not repaired":
        noisy = np.array([_repaired(pair.tolist(), n) for pair in noisy])
    local = epsilon / 3 / (1 if quirk == "budget not split by columns" else d)
    scales = bounded_scale(local, 2 * n)
    parts: list[list[FloatArray]] = [[], []]
    for k in (0, 1):
        rows, counts = X[y == k], noisy[:, k]
        for j in range(d):
            mu = np.clip(rows[:, j].sum() + rng.laplace(0, 1 / local, DRAWS), 0, counts) / counts
            reach = np.maximum(mu, 1 - mu) ** 2
            value = np.minimum(((rows[:, j][:, None] - mu) ** 2).sum(axis=0), reach * counts)
            scale = reach * (1 / local if quirk == "scale of plain Laplace" else scales[counts])
            square = value + scale * rng.laplace(size=DRAWS)
            top = reach * counts
            while quirk != "clamped, not bounded-domain" and (out := (square < 0) | (square > top)).any():
                square[out] = value[out] + scale[out] * rng.laplace(size=out.sum())
            parts[0].append(counts / n * mu)
            parts[1].append(counts / n * (np.clip(square, 0, top) / counts + 1e-9))
    return np.column_stack([*parts[0], *parts[1], noisy / noisy.sum(axis=1, keepdims=True)])


def _repaired(counts: list[int], n: int) -> list[int]:
    order = sorted((0, 1), key=lambda k: counts[k])
    at = 0 if sum(counts) > n else 1
    while (step := int(np.sign(n - sum(counts)))) != 0:
        counts[order[at]] = min(max(counts[order[at]] + step, 1), n)
        at = (at - step) % 2
    return counts


@pytest.mark.slow
def test_draws_depend_on_the_seed_and_the_row_alone() -> None:
    learner = NaiveBayes(1.0)
    data = fixed("lopsided", learner)
    draw = naive_bayes_batched.prepare(learner, data, None)
    many = draw(50, SeedSequence(4))
    assert (draw(7, SeedSequence(4)) == many[:7]).all()
    assert (pickle.loads(pickle.dumps(draw))(50, SeedSequence(4)) == many).all()
    assert not (draw(50, SeedSequence(5)) == many).all(axis=1).any()
    assert len(np.unique(many[:, -3])) == 50
    mirror = naive_bayes_mirror.prepare(learner, data, None)
    assert (mirror(0, WORDS, np.array([9, 2])) == mirror(0, WORDS, np.arange(10))[[9, 2]]).all()


def test_equal_bounds_are_left_to_the_library() -> None:
    data = Dataset([[0.0, 1.0], [0.0, 2.0]], [0, 1])
    learner = NaiveBayes(1.0)
    assert (
        naive_bayes_batched.SAMPLER.refusal(learner, data.within(learner.domain(data)))
        == "a column's bounds are equal"
    )
    assert naive_bayes_mirror.SAMPLER.refusal(learner, fixed("iris", learner)) == ""
