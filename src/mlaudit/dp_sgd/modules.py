"""Torch modules and torch optimisers for a `Network` and a `Plan`."""

from typing import Any

import numpy as np

from mlaudit.dp_sgd._torch import torch
from mlaudit.dp_sgd.network import KERNEL, Network
from mlaudit.dp_sgd.plan import Adam, Optimiser, Sgd
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import Float32Array


def module_of(network: Network) -> Any:
    """Return a module of the same layers, with random weights from torch's global generator.

    Pooling comes before ReLU: that is the same function with the same gradients, for a quarter of the work.
    """
    nn = torch().nn
    layers: list[Any] = []
    channels = network.shape[0]
    for filters in network.filters:
        layers += [nn.Conv2d(channels, filters, KERNEL, padding=KERNEL // 2), nn.MaxPool2d(2), nn.ReLU()]
        channels = filters
    linear = network.layers[-1]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(linear.inputs, linear.outputs))


def optimiser_of(optimiser: Optimiser, parameters: Any) -> Any:
    """Return torch's optimiser of that name, with its defaults otherwise."""
    optim = torch().optim
    if isinstance(optimiser, Sgd):
        return optim.SGD(parameters, lr=optimiser.learning_rate, momentum=optimiser.momentum)
    kind = optim.Adam if isinstance(optimiser, Adam) else optim.RMSprop
    return kind(parameters, lr=optimiser.learning_rate)


def weights_of(module: Any) -> Float32Array:
    """Return all parameters as one vector."""
    parts = [p.detach().reshape(-1).numpy() for p in module.parameters()]
    return np.concatenate(parts).astype(np.float32)


def set_weights(module: Any, weights: Float32Array) -> None:
    """Set all parameters of a module from one vector."""
    size = sum(p.numel() for p in module.parameters())
    if weights.shape != (size,):
        raise InvalidInput(f"weights must be {size} numbers, one a parameter, got shape {weights.shape}")
    vector = torch().from_numpy(np.array(weights, dtype=np.float32))
    torch().nn.utils.vector_to_parameters(vector, module.parameters())
