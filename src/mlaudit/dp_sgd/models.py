"""A trained model that can be asked: a Network's weights, or a torch module of the user's."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.dp_sgd._torch import torch
from mlaudit.dp_sgd.modules import module_of, set_weights
from mlaudit.dp_sgd.network import Network
from mlaudit.dp_sgd.pretraining import scaled
from mlaudit.types.arrays import Float32Array, FloatArray


@dataclass(frozen=True, eq=False)
class View:
    """How a mechanism looks at its models: how pixels are scaled and shaped, and where it looks beside x*."""

    pixels: tuple[float, float]
    shape: tuple[int, ...] | None
    probes: FloatArray

    def points(self, target: FloatArray) -> Float32Array:
        """x* and the probes, as the network sees them."""
        return scaled(np.vstack([target[None, :], self.probes]) if len(self.probes) else target[None, :], self.pixels)


@dataclass(frozen=True, eq=False)
class Model:
    """A torch module and how it is looked at."""

    module: Any
    view: View

    @classmethod
    def of(cls, network: Network, weights: Float32Array, view: View) -> "Model":
        """A Network's weights as a torch module."""
        module = module_of(network)
        set_weights(module, weights)
        return cls(module, view)

    def logits(self, points: Float32Array) -> FloatArray:
        """What the module says of each point."""
        inputs = torch().from_numpy(points)
        with torch().no_grad():
            said = self.module.eval()(inputs if self.view.shape is None else inputs.reshape(-1, *self.view.shape))
        return np.asarray(said.numpy(), dtype=float).reshape(len(points), -1)

    def input_gradient(self, point: Float32Array, label: int, loss: Callable[[Any, Any], Any]) -> FloatArray:
        """How the loss of a label changes with each pixel of a point."""
        x = torch().from_numpy(point[None, :].copy()).requires_grad_()
        said = self.module.eval()(x if self.view.shape is None else x.reshape(-1, *self.view.shape))
        loss(said, torch().tensor([label])).backward()
        return np.asarray(x.grad[0].numpy(), dtype=float)


def margins(logits: FloatArray) -> FloatArray:
    """Each class's logit over that of the first, point by point: a prediction before it is rounded to 0 or 1.

    >>> margins(np.array([[1.0, 3.0], [2.0, 0.5]])).tolist()
    [2.0, -1.5]
    """
    return np.asarray(logits if logits.shape[1] == 1 else logits[:, 1:] - logits[:, :1]).ravel()
