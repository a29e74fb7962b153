"""Initial weights pretrained on other rows of the same distribution (Annamalai and De Cristofaro 2024).

The gradients of ordinary rows are then small, so that the gradient of a canary stands out.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.datasets._images import Images
from mlaudit.dp_sgd.network import Network
from mlaudit.dp_sgd.plan import Adam, Plan
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load_module
from mlaudit.types.arrays import Float32Array, FloatArray
from mlaudit.types.dataset import Dataset

_STEPS, _RATE, _NO_CLIP = 2000, 0.05, 1e9


@lru_cache(maxsize=8)
def pretrain(network: Network, name: str, pixels: tuple[float, float]) -> Float32Array:
    """Return weights trained without noise or clipping on held-out images of that dataset."""
    from mlaudit.dp_sgd import compiled  # noqa: PLC0415 - an extra

    data = load_held_out(name)
    plan = Plan(network, _STEPS, _RATE, 0.0, _NO_CLIP, _RATE * len(data), Adam(1e-3))
    return compiled.train(plan, scale_pixels(data.X, pixels), np.asarray(data.y), None, SeedSequence(0)).weights


def load_held_out(name: str, rows: int = 4000) -> Dataset:
    """Load images of a shipped dataset that are not among its thousand."""
    found: Any = getattr(load_module("datasets", name), "SOURCE", None)
    if not isinstance(found, Images):
        raise InvalidInput(
            f"initial weights and probes come from images that were held out, got data {name!r} without any; use "
            "fashion_mnist or cifar10, or give weights"
        )
    return found.held_out_rows(rows)


def scale_pixels(X: FloatArray, pixels: tuple[float, float]) -> Float32Array:
    """Scale pixels of 0 … 255 to the range of the network's inputs.

    >>> scale_pixels(np.array([[0.0, 255.0]]), (-1.0, 1.0)).tolist()
    [[-1.0, 1.0]]
    """
    low, high = pixels
    return np.asarray(low + X * ((high - low) / 255.0), dtype=np.float32)
