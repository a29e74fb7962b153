"""Training with Opacus: its per-sample gradients, its clipping and its noise; only the batches are drawn here.

`make_private` would pass rows to a DataLoader one at a time; here a Poisson batch is one indexing of a tensor. For a
`Network` two more changes save time without changing Opacus. Its hooks need the gradients of every layer's outputs,
not torch's gradients of the weights, so that only the gradient of the first bias is requested. And oneDNN is switched
off for few filters, where it is slower.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, SeedSequence, default_rng
from numpy.typing import ArrayLike

from mlaudit.dp_sgd._torch import opacus, torch
from mlaudit.dp_sgd.modules import module_of, optimiser_of, set_weights, weights_of
from mlaudit.dp_sgd.plan import Plan
from mlaudit.dp_sgd.record import TrainingRecord
from mlaudit.dp_sgd.rows import joins_of, rows_of, vectors_of, weights_for
from mlaudit.dp_sgd.seeds import child_seed
from mlaudit.types.arrays import BoolArray, Float32Array, FloatArray, IntArray

_FEW_FILTERS = 8


@dataclass(frozen=True)
class Recipe:
    """The settings of DP-SGD for any torch module: its numbers, the loss, and how to make the optimiser.

    `leaves` are parameters whose gradients pass through every layer; None requests those of all parameters.
    """

    steps: int
    rate: float
    noise_multiplier: float
    clip: float
    batch: float
    loss: Callable[[Any, Any], Any]
    optimiser: Callable[[Any], Any]
    leaves: Callable[[Any], list[Any]] | None = None
    one_dnn: bool = True

    @classmethod
    def of(cls, plan: Plan) -> "Recipe":
        """Return the recipe of a plan: mean cross-entropy and torch's optimiser of that name."""
        return cls(
            plan.steps,
            plan.rate,
            plan.noise_multiplier,
            plan.clip,
            plan.batch,
            torch().nn.functional.cross_entropy,
            lambda parameters: optimiser_of(plan.optimiser, parameters),
            _first_bias,
            max(plan.network.filters, default=0) > _FEW_FILTERS,
        )


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
    """Train once, with the arguments and results of the compiled trainer but other random numbers."""
    network = plan.network
    x, y = rows_of(network, images, labels)
    weights = network.initial(default_rng(child_seed(seed, 0))) if initial is None else weights_for(network, initial)
    module = module_of(network)
    set_weights(module, weights)
    vectors = vectors_of(network, canaries), vectors_of(network, directions)
    inside = (*vectors, joins_of(plan.steps, len(vectors[0]), joins))
    pixels = torch().from_numpy(x).reshape(-1, *network.shape)
    observed, batches = run(Recipe.of(plan), module, pixels, torch().from_numpy(y), child_seed(seed, 1), inside)
    return TrainingRecord(weights_of(module), observed, batches)


def run(
    recipe: Recipe,
    module: Any,
    inputs: Any,
    labels: Any,
    seed: SeedSequence,
    inside: tuple[Float32Array, Float32Array, BoolArray] | None = None,
) -> tuple[FloatArray, IntArray]:
    """Train the module in place; return the observed products of each noisy sum, and the batch sizes."""
    rng = default_rng(seed)
    noise = torch().Generator().manual_seed(int(rng.integers(2**63)))
    wrapped = opacus().GradSampleModule(module)
    optimiser = opacus().optimizers.DPOptimizer(
        recipe.optimiser(wrapped.parameters()),
        noise_multiplier=recipe.noise_multiplier,
        max_grad_norm=recipe.clip,
        expected_batch_size=recipe.batch,
        generator=noise,
    )
    nothing = np.empty((0, 0), np.float32)
    canaries, directions, joins = inside or (nothing, nothing, joins_of(recipe.steps, 0, None))
    observed: FloatArray = np.empty((recipe.steps, len(directions)))
    batches = np.empty(recipe.steps, dtype=np.int64)
    wrapped.train()
    with _silence_warnings(), torch().backends.mkldnn.flags(enabled=recipe.one_dnn):
        for step in range(recipe.steps):
            joined = choose_rows(rng, len(inputs), recipe.rate)
            optimiser.zero_grad(set_to_none=True)
            _sum_clipped(recipe, wrapped, optimiser, inputs, labels, torch().from_numpy(joined))
            if len(canaries):
                inserted = joins[step] if len(joins) else rng.random(len(canaries)) < recipe.rate
                _insert(optimiser, canaries[inserted].sum(axis=0))
            optimiser.add_noise()
            if len(directions):
                observed[step] = directions @ np.concatenate([p.grad.reshape(-1).numpy() for p in optimiser.params])
            optimiser.scale_grad()
            optimiser.original_optimizer.step()
            batches[step] = len(joined)
    wrapped.to_standard_module()
    return observed, batches


def choose_rows(rng: Generator, rows: int, rate: float) -> IntArray:
    """Draw a Poisson batch: each row joins with probability `rate`. A trace draws the same for neighbours."""
    return np.flatnonzero(rng.random(rows) < rate)


def _sum_clipped(recipe: Recipe, wrapped: Any, optimiser: Any, inputs: Any, labels: Any, rows: Any) -> None:
    """Let Opacus sum the clipped gradients of the rows into each parameter's `summed_grad`."""
    if len(rows):
        leaves = recipe.leaves(wrapped) if recipe.leaves else None
        recipe.loss(wrapped(inputs[rows]), labels[rows]).backward(inputs=leaves)
    else:  # Opacus' layers disagree on the shape for an empty batch: use one gradient of zeros
        for p in optimiser.params:
            p.grad_sample = torch().zeros_like(p).unsqueeze(0)
    optimiser.clip_and_accumulate()


@contextmanager
def _silence_warnings() -> Iterator[None]:
    """Ignore torch's warnings about flags for graphics cards and about inputs without gradients."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _first_bias(module: Any) -> list[Any]:
    return [next(p for name, p in module.named_parameters() if name.endswith("bias"))]


def _insert(optimiser: Any, canary: Float32Array) -> None:
    """Add a canary gradient to the clipped sum."""
    at = 0
    for p in optimiser.params:
        p.summed_grad += torch().from_numpy(canary[at : at + p.numel()]).reshape(p.summed_grad.shape)
        at += p.numel()
