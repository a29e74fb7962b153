"""Every exhibit's true ε, from the exact laws of its outputs; and that the code follows these laws."""

from collections.abc import Callable
from itertools import product
from operator import itemgetter
from typing import NamedTuple

import numpy as np
import pytest
from laws import (
    Cdf,
    Few,
    Law,
    agreement,
    clipped,
    geometric_at,
    laplace_at,
    laplace_cdf,
    listed,
    numbers,
    on_line,
    outputs_of,
    read_by,
)
from scipy.special import expit, ndtr
from sparse_vector_laws import first_and_value, how_many_above, loss_of_below_then_above, which_above

from mlaudit.statistics.gaussian_dp import mu_of
from mlaudit.testing.zoo import exhibits
from mlaudit.types.arrays import FloatArray

ALL = exhibits()
LEVEL = 1e-7  # of each comparison that right code must pass


class Truth(NamedTuple):
    """Laws of independent parts of the output, whose losses add up."""

    healthy: list[Law]
    broken: list[Law]


def shift(scale: float, base: float = 0.0, neighbour: float = 1.0, place: int = 0) -> Law:
    """One number of the output, with Laplace noise; far above both centres 1 − cdf has no digits left."""
    low, high = sorted((base, neighbour))
    above = [*np.linspace(low, high, 5)[1:], high + scale] if high - low < 20 * scale else []
    edges = [*(low - scale * np.array([2.0, 1.0, 0.5, 0.0])), *above]
    return read_by(on_line(laplace_at(base, scale), laplace_at(neighbour, scale), edges), lambda z: z[place])


def largest(counts: int, noise: Cdf, edges: FloatArray) -> Law:
    """The largest of counts, all of which are 0 and go up by 1."""
    return on_line(lambda x: noise(x) ** counts, lambda x: noise(x - 1) ** counts, edges)


def landslide(votes: float) -> Cdf:
    """The larger of so many votes and none, with exponential noise."""
    return lambda x: -np.expm1(-np.maximum(x - votes, 0.0)) * -np.expm1(-np.maximum(x, 0.0))


def elected(*votes: float) -> Law:
    """Who wins of so many votes and none: the loser does with probability ½e^{−votes}."""
    return listed(*(numbers({0: 1 - np.exp(-v) / 2, 1: np.exp(-v) / 2}) for v in votes))


def truncated(base: float, neighbour: float, rows: int) -> Law:
    one, other = (clipped(geometric_at(centre, 1.0), 0, rows) for centre in (base, neighbour))
    return on_line(one, other, np.arange(0.5, rows))


def redrawn(count: float, rows: int) -> Few:
    weight = np.exp(-np.abs(np.arange(rows + 1) - count))
    return numbers(dict(enumerate((weight / weight.sum()).tolist())))


def bits(epsilon: float) -> list[Law]:
    """Six bits by randomised response; the first four differ."""
    p = float(expit(epsilon))
    one, zero = numbers({0: 1 - p, 1: p}), numbers({0: p, 1: 1 - p})
    sides = [(one, zero)] * 2 + [(zero, one)] * 2 + [(zero, zero)] * 2
    return [read_by(listed(*side), itemgetter(i)) for i, side in enumerate(sides)]


def mean(count: int, total: float) -> Few:
    """The sum with noise, over the exact count."""
    return numbers({(total + j) / count: np.exp(-abs(j)) * np.tanh(0.5) for j in range(-60, 61)})


def mean_of_noisy(count: int, total: float) -> Few:
    """Half of ε for the sum, half for the count."""
    law: dict[float, float] = {}
    p = {j: float(np.exp(-0.5 * abs(j)) * np.tanh(0.25)) for j in range(-130, 131)}
    for i, j in product(p, p):
        z = (total + i) / max(count + j, 1)
        law[z] = law.get(z, 0.0) + p[i] * p[j]
    return numbers(law)


def fine_bits() -> Law:
    """Whether an output below ½ has bits finer than 2⁻⁵³: in [2⁻ᵏ⁻¹, 2⁻ᵏ) all but one in 2ᵏ have."""
    k = np.arange(1, 53)
    fine = float(((np.exp(-(2.0 ** -(k + 1))) - np.exp(-(2.0**-k))) * (1 - 2.0**-k)).sum())
    law = listed(numbers({0: 1 - fine, 1: fine}), numbers({0: 1}))
    return read_by(law, lambda z: abs(z[0]) < 0.5 and not float(z[0] * 2.0**53).is_integer())


def in_single_precision() -> Law:
    """Whether an output can be written in single precision: no multiple of 2⁻³⁰ or so plus 0.9 can."""
    return read_by(listed(numbers({1: 1}), numbers({0: 1})), lambda z: z[0] == np.float32(z[0]))


def gaussian(sigma: float) -> Law:
    edges = np.linspace(-9 * sigma, 1 + 9 * sigma, 40_001)
    return on_line(lambda x: ndtr(x / sigma), lambda x: ndtr((x - 1) / sigma), edges)


def weight(noise: float, base: float = -2.0, neighbour: float = -1.75) -> Law:
    """The weight after four steps of half the mean gradient, each with so much noise on the mean."""
    deviation = np.sqrt(4) * 0.5 * noise
    law = gaussian(deviation / abs(neighbour - base))
    return read_by(law, lambda z: (z[0] - base) / (neighbour - base))


def missing(base: list[float], neighbour: list[float]) -> Law:
    """Outputs told apart by how many numbers there are, and which of them are NaN."""
    return read_by(listed({tuple(base): 1.0}, {tuple(neighbour): 1.0}), np.isnan)


def in_steps() -> Law:
    zero, one = (geometric_at(centre, 1 / 1024, 1 / 1024) for centre in (0.0, 1.0))
    return on_line(zero, one, (np.arange(-2048, 3072, 128) + 0.5) / 1024)


def with_atoms(base: Cdf, neighbour: Cdf) -> Law:
    """Laws with atoms at 0, ⅛ and 1, cut on either side of them."""
    atoms = np.array([0.0, 0.125, 1.0])
    return on_line(base, neighbour, np.sort([*(atoms - 1e-7), *(atoms[:2] + 1e-7), 0.0625, 0.5, 0.75]))


def always_the_same() -> Law:
    exhibit = ALL["seed_reused"]
    assert exhibit.broken is not None
    sides = [outputs_of(exhibit.broken, data, 1, 0)[0] for data in (exhibit.pair.base, exhibit.pair.neighbour)]
    return listed(*({tuple(z.tolist()): 1.0} for z in sides))


def no_query_noise() -> Law:
    """Queries 0 and 1, and where the noisy threshold lies: below both, between, or above."""
    below, above = laplace_cdf(np.array([-0.5, 0.5]), 2.0).tolist()
    ends: Few = {(1.0, 1.0): below, (0.0, 0.0): 1 - above}
    return listed({**ends, (0.0, 1.0): above - below}, {**ends, (1.0, 0.0): above - below})


def row_of(name: str) -> FloatArray:
    return np.asarray(ALL[name].pair.base.X[0])


def index_and_fresh_value() -> list[Law]:
    index = which_above(row_of("sparse_vector_roth"), 1, 2.0, 4.0)
    value = shift(1.0)
    found = read_by(value, lambda z: z[1] if z[0] < 40 else None)
    return [read_by(index, lambda z: np.arange(40) == z[0]), found]


ALPHA = np.exp(-1.0) / (1 + np.exp(-1.0))  # P(geometric noise ≥ 1)
STEP = on_line(lambda x: np.where(x < 0, 0.0, 1.0), laplace_at(1, 1), [-1, -1e-7, 1e-7, 1, 2])
CUTS = [5.5, 5.9, 6.0, 6.25, 6.5, 7.0, 8.0, 9.0]
EVEN = numbers(dict.fromkeys(range(5), 0.2))
SIGMA = 1 / float(mu_of(1.0, 1e-5))
STEP_SIGMA = 2 * SIGMA  # each of four

TRUTHS: dict[str, Callable[[], Truth]] = {
    "add_remove_for_replace_one": lambda: Truth([shift(2, -2, 0)], [shift(1, -2, 0)]),
    "bounds_from_data": lambda: Truth(
        [with_atoms(clipped(laplace_at(0.0625, 0.5), 0, 1), clipped(laplace_at(0.5, 0.5), 0, 1))],
        [with_atoms(clipped(laplace_at(0.0625, 0.5), 0, 0.125), clipped(laplace_at(0.5, 0.5), 0, 1))],
    ),
    "classes_from_data": lambda: Truth(
        [shift(2, 1, 2, place=1), shift(2, 1, 0, place=2)], [missing([0, 0, 0], [0, 0])]
    ),
    "clipped_per_batch": lambda: Truth([shift(0.25, 1, 0.75)], [shift(0.25, 1, -1)]),
    "clipping_forgotten": lambda: Truth([shift(1, 0, 1)], [shift(1, 0, 100)]),
    "dp_sgd_clipped_after_averaging": lambda: Truth(
        [weight(STEP_SIGMA / 8)], [weight(STEP_SIGMA / 8, neighbour=2.0)]
    ),
    "dp_sgd_no_noise": lambda: Truth([weight(STEP_SIGMA / 8)], [listed(numbers({-2.0: 1.0}), numbers({-1.75: 1.0}))]),
    "dp_sgd_noise_divided_twice": lambda: Truth([weight(STEP_SIGMA / 8)], [weight(STEP_SIGMA / 64)]),
    "dp_sgd_noise_of_another_epsilon": lambda: Truth(
        [weight(STEP_SIGMA / 8)], [weight(2 / float(mu_of(8.0, 1e-5)) / 8)]
    ),
    "floating_point_laplace": lambda: Truth([in_steps()], [fine_bits()]),
    "gaussian_wrong_sign": lambda: Truth([gaussian(SIGMA)], [gaussian(1 / (2 * SIGMA))]),
    "geometric_redrawn": lambda: Truth([truncated(0, 1, 8)], [listed(redrawn(0, 8), redrawn(1, 8))]),
    "histogram_scale_epsilon": lambda: Truth([shift(2, 1, 2)], [shift(0.5, 1, 2)]),
    "laplace_half_scale": lambda: Truth([shift(1)], [shift(0.5)]),
    "mean_with_exact_count": lambda: Truth(
        [listed(mean_of_noisy(2, 1), mean_of_noisy(3, 2))], [listed(mean(2, 1), mean(3, 2))]
    ),
    "nan_passes_clip": lambda: Truth([shift(1, 1.5, 0.5)], [missing([0], [1])]),
    "noisy_max_exponential_value": lambda: Truth([elected(5, 6)], [on_line(landslide(5), landslide(6), CUTS)]),
    "noisy_max_laplace_value": lambda: Truth(
        [listed(EVEN, EVEN)], [largest(5, lambda x: laplace_cdf(1.5 * x), np.linspace(-1, 6, 29))]
    ),
    "one_time_rappor": lambda: Truth(bits(0.5), bits(1.0)),
    "parallel_counts": lambda: Truth([shift(3, place=i) for i in range(3)], [shift(1, place=i) for i in range(3)]),
    "prefix_sums": lambda: Truth([shift(1)], [*(shift(1, place=i) for i in range(3)), shift(1, 1, 2, place=3)]),
    "replace_one_for_add_remove": lambda: Truth([shift(3, 4, 7)], [shift(1, 4, 7)]),
    "scale_from_data": lambda: Truth([shift(1)], [STEP]),
    "seed_reused": lambda: Truth([shift(1, 1, 2)], [always_the_same()]),
    "single_precision_noise": lambda: Truth([shift(1, 0, 0.9)], [in_single_precision()]),
    "sparse_vector_chen": lambda: Truth(
        [which_above(row_of("sparse_vector_chen"), 1, 2, 4)], [how_many_above(40, 40, 99, 2, 2)]
    ),
    "sparse_vector_dwork_roth": lambda: Truth(
        [which_above(row_of("sparse_vector_dwork_roth"), 2, 4, 8, anew=True)], []
    ),
    "sparse_vector_lee_clifton": lambda: Truth(
        [how_many_above(25, 25, 25, 2, 100)], [how_many_above(25, 25, 25, 4, 4 / 3)]
    ),
    "sparse_vector_lyu": lambda: Truth([which_above(row_of("sparse_vector_lyu"), 2, 2, 8)], []),
    "sparse_vector_roth": lambda: Truth(
        index_and_fresh_value(), [first_and_value(40, 1.0, np.array([-1.0, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0]))]
    ),
    "sparse_vector_stoddard": lambda: Truth(
        [which_above(row_of("sparse_vector_stoddard"), 1, 2, 4)], [no_query_noise()]
    ),
    "truncated_geometric": lambda: Truth(
        [truncated(1, 2, 3)],
        [listed(*(numbers({c - 1: ALPHA, c: 1 - 2 * ALPHA, c + 1: ALPHA}) for c in (1, 2)))],
    ),
}


def test_every_exhibit_has_its_truth_here() -> None:
    assert sorted(TRUTHS) == sorted(ALL)


@pytest.fixture(params=TRUTHS, scope="module")
def case(request: pytest.FixtureRequest) -> tuple[str, Truth]:
    return request.param, TRUTHS[request.param]()


def test_true_epsilon(case: tuple[str, Truth]) -> None:
    exhibit, truth = ALL[case[0]], case[1]
    claim = exhibit.claim
    # What nothing is broken of is measured itself.
    loss = sum(law.loss for law in truth.broken or truth.healthy)
    if claim.delta:
        (broken,), (healthy,) = truth.broken, truth.healthy
        if np.isinf(exhibit.true_epsilon):
            assert np.isinf(broken.loss)
        else:
            assert broken.delta(exhibit.true_epsilon) == pytest.approx(claim.delta, rel=1e-2)
        assert healthy.delta(claim.epsilon) <= claim.delta * (1 + 1e-6)
        return
    assert loss == pytest.approx(exhibit.loss, rel=1e-4)
    assert sum(law.loss for law in truth.healthy) <= claim.epsilon * (1 + 1e-9)


# Fails for a correct program with probability < 1e-5: 81 valid p-values, each below LEVEL with probability LEVEL at
# most.
@pytest.mark.slow
def test_the_code_follows_the_law(case: tuple[str, Truth]) -> None:
    exhibit, truth = ALL[case[0]], case[1]
    for law in truth.healthy:
        assert agreement(law, exhibit.healthy, exhibit.pair) > LEVEL
    for law in truth.broken:
        assert exhibit.broken is not None
        assert agreement(law, exhibit.broken, exhibit.pair) > LEVEL


def test_lee_and_clifton_reach_their_bound_with_many_queries() -> None:
    bound = ALL["sparse_vector_lee_clifton"].true_epsilon
    assert loss_of_below_then_above(3000, 25, 4, 4 / 3) == pytest.approx(bound, rel=1e-4)


@pytest.mark.parametrize("queries", [10, 40])
def test_more_queries_give_more_where_no_epsilon_will_do(queries: int) -> None:
    assert loss_of_below_then_above(queries, queries, 2, 2) > 0.8 * queries
    assert first_and_value(queries, 1.0, np.array([0.0])).loss == pytest.approx(queries, rel=1e-4)
