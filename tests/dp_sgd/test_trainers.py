"""The compiled trainer does what Opacus does: the same gradients, the same updates, the same distribution."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.random import SeedSequence, default_rng
from scipy.stats import binomtest, chi2, kstest

from mlaudit.dp_sgd.network import CIFAR10, FASHION_MNIST, Network
from mlaudit.dp_sgd.plan import Adam, Optimiser, Plan, RmsProp, Sgd
from mlaudit.errors import InvalidInput
from mlaudit.testing.equivalence import compare
from mlaudit.types.arrays import Float32Array, FloatArray

fast = pytest.importorskip("mlaudit.dp_sgd.compiled", exc_type=ImportError)
pytest.importorskip("opacus")
from mlaudit.dp_sgd import opacus_loop  # noqa: E402 - needs Opacus
from mlaudit.dp_sgd.modules import module_of, set_weights  # noqa: E402

SMALL = Network((1, 6, 6), (2,))
UNEVEN = Network((2, 14, 14), (5, 3), 3)  # odd sides, filters in no fours, three classes
FLAT = Network((1, 3, 3), (), 3)  # softmax regression
X, Y = default_rng(0).random((60, 36)), np.arange(60) % 2
LEVEL = 1e-7  # of each comparison that a right trainer must pass


def by_opacus(network: Network, weights: Any, x: Any, y: Any, clip: float) -> Float32Array:
    """Opacus' clipped sum, with its own hooks and optimiser and nothing of ours."""
    import torch
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    module = module_of(network)
    set_weights(module, weights)
    wrapped = GradSampleModule(module)
    optimiser = DPOptimizer(
        torch.optim.SGD(wrapped.parameters(), lr=0.1), noise_multiplier=1.0, max_grad_norm=clip, expected_batch_size=1
    )
    inputs = torch.tensor(x, dtype=torch.float32).reshape(-1, *network.shape)
    torch.nn.functional.cross_entropy(wrapped(inputs), torch.tensor(y)).backward()
    optimiser.clip_and_accumulate()
    return np.concatenate([p.summed_grad.numpy().ravel() for p in optimiser.params])


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("clip", [0.002, 1.0, 50.0])
@pytest.mark.parametrize("network", [FASHION_MNIST, CIFAR10, UNEVEN, FLAT])
@pytest.mark.slow
def test_clipped_sums_are_those_of_opacus(network: Network, clip: float) -> None:
    rng = default_rng(1)
    x, y = rng.random((21, network.pixels)), rng.integers(0, network.classes, 21)
    weights = network.initial(rng)
    sums, norms = fast.clipped_sum(network, weights, x, y, clip)
    theirs = by_opacus(network, weights, x, y, clip)
    assert np.linalg.norm(sums - theirs) <= 1e-5 * np.linalg.norm(theirs)
    assert np.linalg.norm(sums) <= clip * 21 * (1 + 1e-5)
    assert (norms > 0).all()


@pytest.mark.parametrize("network", [FASHION_MNIST, UNEVEN, FLAT])
def test_logits_are_those_of_torch(network: Network) -> None:
    import torch

    rng = default_rng(2)
    models = np.stack([network.initial(rng) for _ in range(2)])
    x = rng.random((19, network.pixels), dtype=np.float32)
    said = fast.logits(network, models, x)
    for weights, mine in zip(models, said, strict=True):
        module = module_of(network)
        set_weights(module, weights)
        theirs = module(torch.from_numpy(x).reshape(-1, *network.shape)).detach().numpy()
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("optimiser", [Sgd(0.5), Sgd(0.5, 0.9), RmsProp(0.01), Adam(0.01)])
def test_without_noise_both_end_at_the_same_weights(optimiser: Optimiser) -> None:
    plan = Plan(SMALL, 6, 1.0, 0.0, 0.5, 20.0, optimiser)
    start = SMALL.initial(default_rng(3))
    canary, look = 0.5 * np.eye(SMALL.size)[:2], np.eye(SMALL.size)[:4]
    mine, theirs = (t.train(plan, X, Y, start, SeedSequence(1), canary, look) for t in (fast, opacus_loop))
    assert np.abs(mine.weights - start).max() > 0.01
    # Single precision: optimisers that divide by small gradients make rounding larger, on some CPUs more than here.
    np.testing.assert_allclose(mine.weights, theirs.weights, atol=2e-4)
    np.testing.assert_allclose(mine.observed, theirs.observed, atol=1e-3)
    assert mine.batches.tolist() == theirs.batches.tolist() == [60] * 6


def weights_after(train: Callable[..., Any], plan: Plan, n: int, seed: int) -> FloatArray:
    start = SMALL.initial(default_rng(3))  # random ones would hide the noise
    done = [train(plan, X, Y, start, SeedSequence(seed, spawn_key=(i,))).weights for i in range(n)]
    return np.array(done, dtype=float)[:, ::4]


NOISY = Plan(SMALL, 3, 0.3, 0.7, 0.5, 18.0, Sgd(1.0))


# Fails for a correct program with probability < 1e-7: the p-value of a valid test; and of the wrong noise 0.845 of
# 200 are guessed right, where 0.675 are enough for p < 1e-6: 6.6 binomial deviations away.
@pytest.mark.slow
def test_with_noise_both_have_the_same_distribution() -> None:
    theirs = weights_after(opacus_loop.train, NOISY, 200, 0)
    assert compare(weights_after(fast.train, NOISY, 200, 1), theirs).pvalue > LEVEL
    wrong = replace(NOISY, noise_multiplier=1.4)
    assert compare(weights_after(fast.train, wrong, 200, 1), theirs).pvalue < 1e-6


# Fails for a correct program with probability < 5e-7: four p-values; no noise of a deviation of 0.05 reaches 0.5.
@pytest.mark.parametrize("train", [fast.train, opacus_loop.train])
@pytest.mark.slow
def test_a_step_shows_the_canary_and_the_noise_that_were_put_in(train: Callable[..., Any]) -> None:
    plan = Plan(SMALL, 300, 0.3, 0.05, 2.0, 1.0, Sgd(1e-9))
    unit = np.eye(SMALL.size)[:1]
    none = np.empty((0, 36)) if train is fast.train else X[:1] * 0
    labels = np.zeros(len(none), dtype=int)
    start = np.zeros(SMALL.size)
    seen = train(plan, none, labels, start, SeedSequence(5), 2.0 * unit, np.eye(SMALL.size)[[0, 3]]).observed / 2.0
    joined = seen[:, 0] > 0.5
    assert binomtest(int(joined.sum()), 300, 0.3).pvalue > LEVEL
    noise = np.concatenate([seen[:, 0] - joined, seen[:, 1]]) / 0.05
    assert kstest(noise, "norm").pvalue > LEVEL


# Fails for a correct program with probability < 1e-6: both tails of chi-square, whose 400 binomial squares have
# lighter tails than normal ones.
def test_batches_are_poisson() -> None:
    plan = Plan(SMALL, 400, 0.3, 1.0, 1.0, 18.0)
    sizes = fast.train(plan, X, Y, None, SeedSequence(6)).batches
    spread = ((sizes - 18.0) ** 2).sum() / (60 * 0.3 * 0.7)
    assert LEVEL < chi2.sf(spread, 400) < 1 - LEVEL


@pytest.mark.parametrize("train", [fast.train, opacus_loop.train])
def test_the_seed_is_all_the_randomness(train: Callable[..., Any]) -> None:
    first, again, other = (train(NOISY, X, Y, None, SeedSequence(seed)).weights for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_every_training_of_many_has_a_stream_of_its_own() -> None:
    many = fast.train_many(NOISY, X, Y, None, 4, SeedSequence(1))
    assert len(np.unique(many, axis=0)) == 4
    assert (many[0] == fast.train(NOISY, X, Y, None, SeedSequence(1)).weights).all()


# Fails for a correct program with probability < 1e-6: a p-value for each of the network's layers.
def test_random_weights_are_drawn_as_torch_draws_them() -> None:
    still = Plan(SMALL, 1, 1e-9, 0.0, 1.0, 1.0, Sgd(1e-9))
    drawn = fast.train_many(still, X, Y, None, 400, SeedSequence(2))
    for layer in SMALL.layers:
        part = drawn[:, layer.weights_at : layer.end].ravel() * np.sqrt(layer.fan_in)
        assert kstest(part, "uniform", (-1, 2)).pvalue > LEVEL


def tried(*given: Any, images: Any = X, labels: Any = Y) -> Callable[[], Any]:
    """A training with the initial weights, and perhaps canaries, that are given."""
    return lambda: fast.train(NOISY, images, labels, *given[:1], SeedSequence(0), *given[1:])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (tried(None, images=X[:, :5]), "images must have 36 pixels (1 × 6 × 6), got 5"),
        (tried(None, labels=Y + 1), "labels must be whole numbers in 0 … 1, got 2"),
        (tried(None, labels=Y[:3]), "one label for each of 60 images, got labels of"),
        (tried([1.0]), "weights must be 58 numbers, one a parameter, got"),
        (tried(None, [[1.0]]), "canaries and directions must have 58 numbers"),
        (lambda: replace(NOISY, rate=0.0), "rate must be a probability in (0, 1], got 0.0"),
        (lambda: Network((1, 4, 5), (2,)), "images must be square, got 4 × 5; pad them"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        call()
    assert said in str(caught.value)
