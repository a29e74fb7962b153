"""Array types used throughout, and arrays that nobody can change."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
AnyArray = NDArray[np.generic]
Float32Array = NDArray[np.float32]

Scalar = TypeVar("Scalar", bound=np.generic)


def freeze(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return a copy that nobody can make writable again, or the array itself if it is such a copy.

    A flag alone does not hold: whoever owns an array may set it to writable. This copy belongs to a `bytes` object.

    >>> fixed = freeze(np.array([1.0, 2.0]))
    >>> fixed.setflags(write=True)
    Traceback (most recent call last):
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, bytes) and not array.flags.writeable:
        return array
    return np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape) if array.size else array


def set_frozen_state(value: object, state: dict[str, Any]) -> None:
    """Rebuild an unpickled or copied value: numpy's pickles lose the mark that an array must not be written to."""
    frozen = {name: freeze(part) if isinstance(part, np.ndarray) else part for name, part in state.items()}
    vars(value).update(frozen)


def take_columns(z: FloatArray, columns: IntArray) -> FloatArray:
    """Return these columns; without a copy if they are all there are.

    >>> take_columns(np.array([[1.0, 2.0]]), np.array([1])).tolist()
    [[2.0]]
    """
    return z if len(columns) == z.shape[1] else z[:, columns]
