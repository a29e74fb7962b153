"""Stand-ins for `float` and `int` that keep the noise of a followed number."""

from typing import Any

import numpy as np

from mlaudit.tracing.followed import Followed


class _KeepsNoise(type):
    """A stand-in for `float` or `int`: floats count as its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


class FollowedFloat(float, metaclass=_KeepsNoise):
    """`float`, but a followed number stays one: its digits are the same."""

    dtype = np.dtype(float)  # so that numpy reads the class as a type of numbers

    def __new__(cls, value: Any = 0.0) -> Any:  # noqa: D102 - the class says it
        if isinstance(value, Followed) and value.origin is not None and value.size == 1:
            return value.reshape(()).astype(float)
        return float(value)


class FollowedInt(int, metaclass=_KeepsNoise):
    """`int`, but a followed whole number stays one."""

    dtype = np.dtype(int)

    def __new__(cls, value: Any = 0, *base: Any) -> Any:  # noqa: D102 - the class says it
        if isinstance(value, Followed) and value.origin is not None and value.size == 1 and value.dtype.kind in "iu":
            return value.reshape(())
        return int(value, *base)
