"""DP-SGD of a torch module of the user's own."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.dp_sgd._torch import torch
from mlaudit.dp_sgd.modules import set_weights
from mlaudit.dp_sgd.opacus_loop import Recipe, run
from mlaudit.dp_sgd.seeds import child_seed
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import AnyArray, Float32Array
from mlaudit.types.dataset import Dataset


def train_module(
    make: Callable[[], Any], initial: Any, inputs: Float32Array, labels: AnyArray, recipe: Recipe, seed: SeedSequence
) -> Any:
    """Make a module, train it by Opacus and return it.

    Args:
        make: Makes the module.
        initial: How its weights begin: "random", "fixed", or as this vector.
        inputs: One input for each row, in the shape that the module takes.
        labels: One label for each row.
        recipe: The parameters of the training.
        seed: The seed of the initial weights and of the training.

    Returns:
        The trained module.

    Raises:
        InvalidInput: If the weights should be pretrained.
    """
    begin = initial if isinstance(initial, str) else "given"
    if begin == "pretrained":
        raise InvalidInput("initial must be random, fixed or weights for a module of your own, got 'pretrained'")
    first = 0 if begin == "fixed" else int(default_rng(child_seed(seed, 0)).integers(2**63))
    with torch().random.fork_rng(devices=[]):
        torch().manual_seed(first)
        module = make()
    if begin == "given":
        set_weights(module, np.asarray(initial, dtype=np.float32))
    run(recipe, module, torch().from_numpy(inputs), torch().from_numpy(labels), child_seed(seed, 1))
    return module


def class_numbers(data: Dataset) -> AnyArray:
    """Labels as cross-entropy takes them: whole numbers from 0."""
    y = np.array(data.y)
    if y.dtype.kind not in "iu" or y.min(initial=0) < 0:
        raise InvalidInput(
            f"labels must be whole numbers from 0 for cross-entropy, got {y.ravel().tolist()[0]!r}; number the "
            "classes, or give a loss"
        )
    return y
