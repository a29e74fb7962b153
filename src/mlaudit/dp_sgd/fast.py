"""The compiled trainer: the algorithm of Opacus, on Networks, many times faster than torch.

Sixteen examples go through the network at once, one in each lane of the processor's vectors.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike

from mlaudit.dp_sgd import _training as kernels
from mlaudit.dp_sgd._layout import LANES, Layout, layout_of, room_for
from mlaudit.dp_sgd._passes import forward, gather
from mlaudit.dp_sgd._rows import images_of, joins_of, rows_of, vectors_of, weights_for
from mlaudit.dp_sgd.network import Network
from mlaudit.dp_sgd.plan import Plan, RmsProp, Sgd
from mlaudit.dp_sgd.trained import Trained
from mlaudit.samplers._xoshiro import key_of, seeding
from mlaudit.types.arrays import BoolArray, Float32Array, FloatArray, IntArray


class _Bench(NamedTuple):
    """A network's layout, and arrays to work in."""

    layout: Layout
    room: Float32Array
    turned: Float32Array
    nothing: Float32Array
    norms: Float32Array


def train(
    plan: Plan,
    images: ArrayLike,
    labels: ArrayLike,
    initial: ArrayLike | None,
    seed: SeedSequence,
    canaries: ArrayLike | None = None,
    directions: ArrayLike | None = None,
    joins: ArrayLike | None = None,
) -> Trained:
    """One training; all its randomness comes from the seed.

    `initial` are weights to begin with, None draws them. Each of the `canaries` joins a step's sum as it is, with the
    sampling rate of a row, or just where `joins` (steps × canaries) says so; of every noisy sum the products with the
    `directions` are kept.

    >>> plan = Plan(Network((1, 4, 4), (2,)), 3, 0.5, 1.0, 1.0, 4.0)
    >>> done = train(plan, np.ones((8, 16)), np.arange(8) % 2, None, SeedSequence(0), directions=np.eye(38)[:5])
    >>> done.weights.shape, done.observed.shape, done.batches.shape
    ((38,), (3, 5), (3,))
    """
    x, y = rows_of(plan.network, images, labels)
    bench, state = _bench(plan.network), seeding(key_of(seed), 0)
    inside = vectors_of(plan.network, canaries), vectors_of(plan.network, directions)
    return _trained(plan, bench, state, (x, y), initial, (*inside, joins_of(plan.steps, len(inside[0]), joins)))


def train_many(
    plan: Plan, images: ArrayLike, labels: ArrayLike, initial: ArrayLike | None, n: int, seed: SeedSequence
) -> Float32Array:
    """The weights of n trainings, a row and a random stream for each."""
    x, y = rows_of(plan.network, images, labels)
    bench, key, none = _bench(plan.network), key_of(seed), vectors_of(plan.network, None)
    out, nobody = np.empty((n, plan.network.size), np.float32), joins_of(plan.steps, 0, None)
    for i in range(n):
        out[i] = _trained(plan, bench, seeding(key, i), (x, y), initial, (none, none, nobody)).weights
    return out


def logits(network: Network, weights: ArrayLike, images: ArrayLike) -> Float32Array:
    """What each model, a row of weights, says of each image."""
    models = np.atleast_2d(np.asarray(weights, np.float32))
    x = images_of(network, images)
    bench = _bench(network)
    layout = bench.layout
    out = np.empty((len(models), len(x), network.classes), np.float32)
    for first in range(0, len(x), LANES):
        rows = np.arange(first, min(first + LANES, len(x)))
        gather(layout, bench.room, x, rows)
        for model, said in zip(models, out, strict=True):
            forward(layout, bench.room, np.ascontiguousarray(model))
            end = layout.logits_at + network.classes
            block = bench.room[layout.logits_at * LANES : end * LANES].reshape(network.classes, LANES)
            said[rows] = block[:, : len(rows)].T
    return out


def clipped_sum(
    network: Network, weights: ArrayLike, images: ArrayLike, labels: ArrayLike, clip: float
) -> tuple[Float32Array, Float32Array]:
    """The sum of the clipped gradients of all rows, and the norm of each before it was clipped."""
    x, y = rows_of(network, images, labels)
    bench = _bench(network)
    sums, norms = np.empty(network.size, np.float32), np.empty(len(x), np.float32)
    w = weights_for(network, weights)
    kernels.gradient_sum(bench, w, (x, y), np.arange(len(x)), np.float32(clip), sums, norms)
    return sums, norms


def _trained(
    plan: Plan,
    bench: _Bench,
    state: Any,
    rows: tuple[Float32Array, IntArray],
    initial: ArrayLike | None,
    inside: tuple[Float32Array, Float32Array, BoolArray],
) -> Trained:
    network, optimiser = plan.network, plan.optimiser
    if initial is None:
        weights = np.empty(network.size, np.float32)
        kernels.initialised(_reach(network), state, weights)
    else:
        weights = weights_for(network, initial).copy()
    observed: FloatArray = np.empty((plan.steps, len(inside[1])))
    batches = np.empty(plan.steps, np.int64)
    kind = {Sgd: kernels.SGD, RmsProp: kernels.RMSPROP}.get(type(optimiser), kernels.ADAM)
    numbers = (
        plan.steps,
        float(plan.rate),
        float(plan.noise_multiplier * plan.clip),
        np.float32(plan.clip),
        np.float32(plan.batch),
        kind,
        np.float32(optimiser.learning_rate),
        np.float32(getattr(optimiser, "momentum", 0.0)),
    )
    kernels.trained(bench, state, numbers, rows, weights, inside, (observed, batches))
    return Trained(weights, observed, batches)


@lru_cache(maxsize=4)
def _bench(network: Network) -> _Bench:
    layout = layout_of(network)
    widest = max([*network.filters, network.shape[0], 4])
    return _Bench(layout, room_for(layout), *(np.zeros(n, np.float32) for n in (network.size, widest, LANES)))


@lru_cache(maxsize=4)
def _reach(network: Network) -> FloatArray:
    reach = np.empty(network.size)
    for layer in network.layers:
        reach[layer.weights_at : layer.end] = 1.0 / np.sqrt(layer.fan_in)
    return reach
