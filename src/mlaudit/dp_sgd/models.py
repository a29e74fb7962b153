"""A trained model: the weights of a `Network`, or a torch module of the user."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlaudit.dp_sgd._torch import torch
from mlaudit.dp_sgd.modules import module_of, set_weights
from mlaudit.dp_sgd.network import Network
from mlaudit.dp_sgd.pretraining import scale_pixels
from mlaudit.types.arrays import Float32Array, FloatArray


@dataclass(frozen=True, eq=False)
class View:
    """How a mechanism evaluates its models: the scale and shape of pixels, and the probes beside x*."""

    pixels: tuple[float, float]
    shape: tuple[int, ...] | None
    probes: FloatArray

    def points(self, target: FloatArray) -> Float32Array:
        """Return x* and the probes, scaled for the network."""
        return scale_pixels(
            np.vstack([target[None, :], self.probes]) if len(self.probes) else target[None, :], self.pixels
        )


@dataclass(frozen=True, eq=False)
class Model:
    """A torch module and how it is evaluated."""

    module: Any
    view: View

    @classmethod
    def of(cls, network: Network, weights: Float32Array, view: View) -> "Model":
        """Make a torch module of a Network's weights."""
        module = module_of(network)
        set_weights(module, weights)
        return cls(module, view)

    def logits(self, points: Float32Array) -> FloatArray:
        """Return the module's logits for each point."""
        inputs = torch().from_numpy(points)
        with torch().no_grad():
            found = self.module.eval()(inputs if self.view.shape is None else inputs.reshape(-1, *self.view.shape))
        return np.asarray(found.numpy(), dtype=float).reshape(len(points), -1)

    def input_gradient(self, point: Float32Array, label: int, loss: Callable[[Any, Any], Any]) -> FloatArray:
        """Return the gradient of the loss of a label with respect to the pixels of a point."""
        x = torch().from_numpy(point[None, :].copy()).requires_grad_()
        found = self.module.eval()(x if self.view.shape is None else x.reshape(-1, *self.view.shape))
        loss(found, torch().tensor([label])).backward()
        return np.asarray(x.grad[0].numpy(), dtype=float)


def margins(logits: FloatArray) -> FloatArray:
    """Return each class's logit minus that of the first, point by point.

    >>> margins(np.array([[1.0, 3.0], [2.0, 0.5]])).tolist()
    [2.0, -1.5]
    """
    return np.asarray(logits if logits.shape[1] == 1 else logits[:, 1:] - logits[:, :1]).ravel()
