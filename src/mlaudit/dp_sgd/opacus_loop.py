"""Training with Opacus: its per-sample gradients, its clipping, its noise; only the batches are drawn here.

`make_private` would hand rows to a DataLoader one at a time; here a Poisson batch is one indexing of a tensor. On a
Network two things more save time and leave Opacus as it is. Its hooks need the slopes of every layer's outputs, not
torch's own gradients of the weights: only the first bias is asked for. And oneDNN does not pay for few filters.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng
from numpy.typing import ArrayLike

from mlaudit.dp_sgd._rows import joins_of, rows_of, vectors_of, weights_for
from mlaudit.dp_sgd._torch import opacus, torch
from mlaudit.dp_sgd.modules import module_of, optimiser_of, set_weights, weights_of
from mlaudit.dp_sgd.plan import Plan
from mlaudit.dp_sgd.seeds import child
from mlaudit.dp_sgd.trained import Trained
from mlaudit.types.arrays import BoolArray, Float32Array, FloatArray, IntArray

_FEW_FILTERS = 8


@dataclass(frozen=True)
class Recipe:
    """What DP-SGD does with any torch module: numbers, how to take the loss, how to make the optimiser.

    `leaves` are parameters whose slopes pass through every layer; None asks for those of all parameters, as is usual.
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
        """A plan's recipe: mean cross-entropy, torch's optimiser of that name."""
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
) -> Trained:
    """One training, with the arguments and results of the compiled trainer; the random numbers are other ones."""
    network = plan.network
    x, y = rows_of(network, images, labels)
    weights = network.initial(default_rng(child(seed, 0))) if initial is None else weights_for(network, initial)
    module = module_of(network)
    set_weights(module, weights)
    vectors = vectors_of(network, canaries), vectors_of(network, directions)
    inside = (*vectors, joins_of(plan.steps, len(vectors[0]), joins))
    pixels = torch().from_numpy(x).reshape(-1, *network.shape)
    observed, batches = run(Recipe.of(plan), module, pixels, torch().from_numpy(y), child(seed, 1), inside)
    return Trained(weights_of(module), observed, batches)


def run(
    recipe: Recipe,
    module: Any,
    inputs: Any,
    labels: Any,
    seed: SeedSequence,
    inside: tuple[Float32Array, Float32Array, BoolArray] | None = None,
) -> tuple[FloatArray, IntArray]:
    """Train the module in place; what was observed of each step's noisy sum, and how many rows joined it."""
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
    with _quiet(), torch().backends.mkldnn.flags(enabled=recipe.one_dnn):
        for step in range(recipe.steps):
            joined = np.flatnonzero(rng.random(len(inputs)) < recipe.rate)
            optimiser.zero_grad(set_to_none=True)
            _clipped_sum(recipe, wrapped, optimiser, inputs, labels, torch().from_numpy(joined))
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


def _clipped_sum(recipe: Recipe, wrapped: Any, optimiser: Any, inputs: Any, labels: Any, rows: Any) -> None:
    """Opacus' clipped sum of the rows' gradients, in each parameter's `summed_grad`."""
    if len(rows):
        leaves = recipe.leaves(wrapped) if recipe.leaves else None
        recipe.loss(wrapped(inputs[rows]), labels[rows]).backward(inputs=leaves)
    else:  # Opacus' layers disagree on how many gradients no rows have: here it is one of zeros
        for p in optimiser.params:
            p.grad_sample = torch().zeros_like(p).unsqueeze(0)
    optimiser.clip_and_accumulate()


@contextmanager
def _quiet() -> Iterator[None]:
    """Torch warns of flags for graphics cards, and that the first layer's inputs need no slopes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _first_bias(module: Any) -> list[Any]:
    return [next(p for name, p in module.named_parameters() if name.endswith("bias"))]


def _insert(optimiser: Any, canary: Float32Array) -> None:
    """Add a gradient of nobody's to the clipped sum."""
    at = 0
    for p in optimiser.params:
        p.summed_grad += torch().from_numpy(canary[at : at + p.numel()]).reshape(p.summed_grad.shape)
        at += p.numel()
