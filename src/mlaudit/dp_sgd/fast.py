"""The compiled trainer: the algorithm of Opacus, on Networks, many times faster than torch.

Sixteen examples go through the network at once, one in each lane of the processor's vectors.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike

from mlaudit.dp_sgd import _training as kernels
from mlaudit.dp_sgd._layout import Layout, layout_of, room_for
from mlaudit.dp_sgd._passes import forward, gather
from mlaudit.dp_sgd.network import Network
from mlaudit.dp_sgd.plan import Plan, RmsProp, Sgd
from mlaudit.dp_sgd.trained import Trained
from mlaudit.errors import InvalidInput
from mlaudit.samplers._xoshiro import key_of, seeding
from mlaudit.types.arrays import Float32Array, FloatArray, IntArray

LANES = 16


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
) -> Trained:
    """One training; all its randomness comes from the seed.

    `initial` are weights to begin with, None draws them. Each of the `canaries` joins a step's sum as it is, with the
    sampling rate of a row; of every noisy sum the products with the `directions` are kept.

    >>> plan = Plan(Network((1, 4, 4), (2,)), 3, 0.5, 1.0, 1.0, 4.0)
    >>> done = train(plan, np.ones((8, 16)), np.arange(8) % 2, None, SeedSequence(0), directions=np.eye(38)[:5])
    >>> done.weights.shape, done.observed.shape, done.batches.shape
    ((38,), (3, 5), (3,))
    """
    x, y = rows_of(plan.network, images, labels)
    bench, state = _bench(plan.network), seeding(key_of(seed), 0)
    return _trained(plan, bench, state, x, y, initial, _vectors(plan, canaries), _vectors(plan, directions))


def train_many(
    plan: Plan, images: ArrayLike, labels: ArrayLike, initial: ArrayLike | None, n: int, seed: SeedSequence
) -> Float32Array:
    """The weights of n trainings, a row and a random stream for each."""
    x, y = rows_of(plan.network, images, labels)
    bench, key, none = _bench(plan.network), key_of(seed), _vectors(plan, None)
    out = np.empty((n, plan.network.size), np.float32)
    for i in range(n):
        out[i] = _trained(plan, bench, seeding(key, i), x, y, initial, none, none).weights
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
    w = _weights(network, weights)
    kernels.gradient_sum(bench, w, (x, y), np.arange(len(x)), np.float32(clip), sums, norms)
    return sums, norms


def rows_of(network: Network, images: ArrayLike, labels: ArrayLike) -> tuple[Float32Array, IntArray]:
    """Images and labels as the kernels take them."""
    x, y = images_of(network, images), np.asarray(labels)
    if y.shape != (len(x),) or (len(y) and not np.isin(y, np.arange(network.classes)).all()):
        raise InvalidInput(
            f"labels must be one whole number in 0 … {network.classes - 1} for each of {len(x)} images, got labels "
            f"of shape {y.shape}; number the classes from 0"
        )
    return x, y.astype(np.int64)


def images_of(network: Network, images: ArrayLike) -> Float32Array:
    """Images as rows of float32."""
    x = np.asarray(images)
    x = np.ascontiguousarray(x.reshape(len(x), -1) if x.size else np.empty((0, network.pixels)), dtype=np.float32)
    if x.shape[1] != network.pixels:
        raise InvalidInput(
            f"images must have {network.pixels} pixels ({' × '.join(map(str, network.shape))}), got {x.shape[1]}; "
            "name another network"
        )
    return x


def _trained(
    plan: Plan,
    bench: _Bench,
    state: Any,
    x: Float32Array,
    y: IntArray,
    initial: ArrayLike | None,
    canaries: Float32Array,
    directions: Float32Array,
) -> Trained:
    network, optimiser = plan.network, plan.optimiser
    if initial is None:
        weights = np.empty(network.size, np.float32)
        kernels.initialised(_reach(network), state, weights)
    else:
        weights = _weights(network, initial).copy()
    observed: FloatArray = np.empty((plan.steps, len(directions)))
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
    kernels.trained(bench, state, numbers, (x, y), weights, (canaries, directions), (observed, batches))
    return Trained(weights, observed, batches)


def _vectors(plan: Plan, given: ArrayLike | None) -> Float32Array:
    size = plan.network.size
    found = np.ascontiguousarray(np.empty((0, size)) if given is None else np.atleast_2d(given), dtype=np.float32)
    if found.shape[1] != size:
        raise InvalidInput(f"canaries and directions must have {size} numbers, one a parameter, got {found.shape[1]}")
    return found


def _weights(network: Network, given: ArrayLike) -> Float32Array:
    weights = np.ascontiguousarray(given, dtype=np.float32)
    if weights.shape != (network.size,):
        raise InvalidInput(f"weights must be {network.size} numbers, one a parameter, got shape {weights.shape}")
    return weights


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
