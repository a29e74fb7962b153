"""Validation of images, labels and parameter vectors for the trainers."""

import numpy as np
from numpy.typing import ArrayLike

from mlaudit.dp_sgd.network import Network
from mlaudit.errors import InvalidInput
from mlaudit.types.arrays import BoolArray, Float32Array, IntArray


def rows_of(network: Network, images: ArrayLike, labels: ArrayLike) -> tuple[Float32Array, IntArray]:
    """Return images as rows of float32 and one class for each, or raise.

    >>> rows_of(Network((1, 2, 2), ()), np.zeros((1, 4)), [2])
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: labels must be whole numbers in 0 … 1, got 2; number the classes from 0
    """
    x, y = images_of(network, images), np.asarray(labels)
    if y.shape != (len(x),):
        raise InvalidInput(f"there must be one label for each of {len(x)} images, got labels of shape {y.shape}")
    unknown = y[~np.isin(y, np.arange(network.classes))]
    if len(unknown):
        raise InvalidInput(
            f"labels must be whole numbers in 0 … {network.classes - 1}, got {unknown[0]}; number the classes from 0"
        )
    return x, y.astype(np.int64)


def images_of(network: Network, images: ArrayLike) -> Float32Array:
    """Return images as rows of float32, or raise if their size does not fit the network."""
    x = np.asarray(images)
    x = np.ascontiguousarray(x.reshape(len(x), -1) if x.size else np.empty((0, network.pixels)), dtype=np.float32)
    if x.shape[1] != network.pixels:
        raise InvalidInput(
            f"images must have {network.pixels} pixels ({' × '.join(map(str, network.shape))}), got {x.shape[1]}; "
            "name another network"
        )
    return x


def vectors_of(network: Network, given: ArrayLike | None) -> Float32Array:
    """Return canaries or directions as rows; no rows for None."""
    size = network.size
    found = np.ascontiguousarray(np.empty((0, size)) if given is None else np.atleast_2d(given), dtype=np.float32)
    if found.shape[1] != size:
        raise InvalidInput(f"canaries and directions must have {size} numbers, one a parameter, got {found.shape[1]}")
    return found


def weights_for(network: Network, given: ArrayLike) -> Float32Array:
    """Return one vector of parameters, or raise if it has another length."""
    weights = np.ascontiguousarray(given, dtype=np.float32)
    if weights.shape != (network.size,):
        raise InvalidInput(f"weights must be {network.size} numbers, one a parameter, got shape {weights.shape}")
    return weights


def joins_of(steps: int, canaries: int, given: ArrayLike | None) -> BoolArray:
    """Return which canary joins which step; an empty array, for the sampling rate of a row, if none is given.

    >>> joins_of(2, 1, None).shape, joins_of(2, 1, [[True], [False]]).shape
    ((0, 0), (2, 1))
    """
    if given is None:
        return np.empty((0, 0), np.bool_)
    joins = np.ascontiguousarray(given, dtype=np.bool_)
    if joins.shape != (steps, canaries):
        raise InvalidInput(f"joins must say of {steps} steps which of {canaries} canaries join, got {joins.shape}")
    return joins
