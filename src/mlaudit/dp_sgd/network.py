"""Convolutional networks with one linear layer on top, as plain numbers: shapes and offsets of parameters."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import Float32Array
from mlaudit.types.checks import several, whole

KERNEL = 3
_LARGEST = 10_000  # of a side, or filters of a layer


class Layer(NamedTuple):
    """One layer's offsets in the flat vector of parameters: weights, then one bias for each output."""

    inputs: int  # channels, or features of the linear layer
    outputs: int
    fan_in: int
    weights_at: int
    biases_at: int

    @property
    def end(self) -> int:
        """The offset of the next layer."""
        return self.biases_at + self.outputs


@dataclass(frozen=True)
class Network:
    """Blocks of a 3×3 convolution (padding 1), ReLU and 2×2 max-pooling, then one linear layer.

    Parameters are one vector, in torch's order (`module.parameters()`); without filters it is softmax regression.

    >>> Network((1, 28, 28), (4, 4, 8)).size
    630
    >>> Network((1, 3, 3), (4, 4))
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: images must be at least 4 × 4 for 2 rounds of pooling, got 3 × 3; use fewer filters
    """

    shape: tuple[int, int, int]
    filters: tuple[int, ...]
    classes: int = 2

    def __post_init__(self) -> None:
        for name in ("shape", "filters"):
            sizes = several(name, getattr(self, name), "whole numbers")
            object.__setattr__(self, name, tuple(whole(name, size, 1, high=_LARGEST) for size in sizes))
        whole("classes", self.classes, 2)
        if len(self.shape) != 3:
            raise InvalidInput(f"shape must be (channels, height, width), got {self.shape}")
        _, height, width = self.shape
        least = 2 ** len(self.filters)
        if height != width:
            raise InvalidInput(f"images must be square, got {height} × {width}; pad them")
        if height < least:
            raise InvalidInput(
                f"images must be at least {least} × {least} for {len(self.filters)} rounds of pooling, got "
                f"{height} × {width}; use fewer filters"
            )

    @property
    def pixels(self) -> int:
        """Numbers in an image."""
        return int(np.prod(self.shape))

    @property
    def sides(self) -> tuple[int, ...]:
        """The height of each block's input and of the linear layer's input."""
        return tuple(self.shape[1] >> i for i in range(len(self.filters) + 1))

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Every convolution, and the linear layer."""
        found: list[Layer] = []
        channels = (self.shape[0], *self.filters)
        plans = [(c, f, c * KERNEL**2) for c, f in zip(channels, self.filters, strict=False)]
        features = channels[-1] * self.sides[-1] ** 2
        for inputs, outputs, fan_in in [*plans, (features, self.classes, features)]:
            at = found[-1].end if found else 0
            found.append(Layer(inputs, outputs, fan_in, at, at + outputs * fan_in))
        return tuple(found)

    @property
    def size(self) -> int:
        """The number of parameters."""
        return self.layers[-1].end

    def initial(self, rng: Generator) -> Float32Array:
        """Draw random weights as torch does by default: uniform in ±1/√fan_in, biases too."""
        reach = np.empty(self.size)
        for layer in self.layers:
            reach[layer.weights_at : layer.end] = 1.0 / np.sqrt(layer.fan_in)
        return np.asarray(rng.uniform(-reach, reach), dtype=np.float32)


FASHION_MNIST = Network((1, 28, 28), (4, 4, 8))
CIFAR10 = Network((3, 32, 32), (8, 8, 16))
