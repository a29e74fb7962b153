"""The compiled trainer: the algorithm of Opacus for a `Network`, many times faster than torch.

Sixteen examples pass through the network at once, one in each lane of the processor's vectors.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import ArrayLike

from mlaudit.dp_sgd.kernels import training as kernels
from mlaudit.dp_sgd.kernels.convolutions import transform_weights
from mlaudit.dp_sgd.kernels.layout import LANES, Layout, allocate_memory, layout_of
from mlaudit.dp_sgd.kernels.passes import forward
from mlaudit.dp_sgd.kernels.transpose import gather
from mlaudit.dp_sgd.network import Network
from mlaudit.dp_sgd.plan import Plan, RmsProp, Sgd
from mlaudit.dp_sgd.record import TrainingRecord
from mlaudit.dp_sgd.rows import images_of, joins_of, rows_of, vectors_of, weights_for
from mlaudit.kernels.xoshiro import key_of, make_stream
from mlaudit.types.arrays import BoolArray, Float32Array, FloatArray, IntArray


class _Workspace(NamedTuple):
    """A network's layout and the arrays that kernels work in."""

    layout: Layout
    memory: Float32Array
    kernels: Float32Array
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
) -> TrainingRecord:
    """Train once; all randomness comes from the seed.

    Args:
        plan: Network, steps, noise and optimiser.
        images: One image for each row.
        labels: One class for each row, counted from 0.
        initial: Initial weights; None draws them.
        seed: Seed of batches, noise and initial weights.
        canaries: Gradients that are added to a step's sum as they are, each with the sampling rate of a row.
        directions: Vectors whose products with every noisy sum are recorded.
        joins: Which canary is added in which step (steps × canaries), instead of the sampling rate.

    Example:
        >>> plan = Plan(Network((1, 4, 4), (2,)), 3, 0.5, 1.0, 1.0, 4.0)
        >>> done = train(plan, np.ones((8, 16)), np.arange(8) % 2, None, SeedSequence(0), directions=np.eye(38)[:5])
        >>> done.weights.shape, done.observed.shape, done.batches.shape
        ((38,), (3, 5), (3,))
    """
    x, y = rows_of(plan.network, images, labels)
    space, state = _workspace(plan.network), make_stream(key_of(seed), 0)
    inside = vectors_of(plan.network, canaries), vectors_of(plan.network, directions)
    return _train(plan, space, state, (x, y), initial, (*inside, joins_of(plan.steps, len(inside[0]), joins)))


def train_many(
    plan: Plan, images: ArrayLike, labels: ArrayLike, initial: ArrayLike | None, n: int, seed: SeedSequence
) -> Float32Array:
    """Return the weights of n trainings as rows; each training has a random stream of its own."""
    x, y = rows_of(plan.network, images, labels)
    space, key, none = _workspace(plan.network), key_of(seed), vectors_of(plan.network, None)
    out, no_joins = np.empty((n, plan.network.size), np.float32), joins_of(plan.steps, 0, None)
    for i in range(n):
        out[i] = _train(plan, space, make_stream(key, i), (x, y), initial, (none, none, no_joins)).weights
    return out


def logits(network: Network, weights: ArrayLike, images: ArrayLike) -> Float32Array:
    """Return the logits of each model, a row of weights, for each image."""
    models = np.ascontiguousarray(np.atleast_2d(weights), np.float32)
    x = images_of(network, images)
    space = _workspace(network)
    layout = space.layout
    out = np.empty((len(models), len(x), network.classes), np.float32)
    for first in range(0, len(x), LANES):
        rows = np.arange(first, min(first + LANES, len(x)))
        gather(layout, space.memory, x, rows)
        for model, found in zip(models, out, strict=True):
            transform_weights(layout, model, space.kernels)
            forward(layout, space.memory, model, space.kernels)
            end = layout.logits_at + network.classes
            block = space.memory[layout.logits_at * LANES : end * LANES].reshape(network.classes, LANES)
            found[rows] = block[:, : len(rows)].T
    return out


def clipped_sum(
    network: Network, weights: ArrayLike, images: ArrayLike, labels: ArrayLike, clip: float
) -> tuple[Float32Array, Float32Array]:
    """Return the sum of the clipped gradients of all rows, and the norm of each before clipping."""
    x, y = rows_of(network, images, labels)
    space = _workspace(network)
    sums, norms = np.empty(network.size, np.float32), np.empty(len(x), np.float32)
    w = weights_for(network, weights)
    kernels.sum_clipped_gradients(space, w, (x, y), np.arange(len(x)), np.float32(clip), sums, norms)
    return sums, norms


def _train(
    plan: Plan,
    space: _Workspace,
    state: Any,
    rows: tuple[Float32Array, IntArray],
    initial: ArrayLike | None,
    inside: tuple[Float32Array, Float32Array, BoolArray],
) -> TrainingRecord:
    network, optimiser = plan.network, plan.optimiser
    if initial is None:
        weights = np.empty(network.size, np.float32)
        kernels.initialise(_initial_range(network), state, weights)
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
    kernels.run_training(space, state, numbers, rows, weights, inside, (observed, batches))
    return TrainingRecord(weights, observed, batches)


@lru_cache(maxsize=4)
def _workspace(network: Network) -> _Workspace:
    layout = layout_of(network)
    return _Workspace(layout, allocate_memory(layout), *(np.zeros(n, np.float32) for n in (layout.kernels, LANES)))


@lru_cache(maxsize=4)
def _initial_range(network: Network) -> FloatArray:
    limits = np.empty(network.size)
    for layer in network.layers:
        limits[layer.weights_at : layer.end] = 1.0 / np.sqrt(layer.fan_in)
    return limits
