"""Draws of jax that remember the noise in them. jax need not be installed: nothing here imports it."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlaudit.tracing.arithmetic import apply
from mlaudit.tracing.origin import Operand


class FollowedDraw:
    """A draw of jax that remembers its noise: no array, so that jax leaves arithmetic with it to this class."""

    __array_ufunc__ = None  # numpy leaves it to this class, too

    def __init__(self, made: Operand, numpy: Any) -> None:
        self.made = made
        self.numpy = numpy

    def __getattr__(self, name: str) -> Any:
        """Anything else, as a usual array."""
        if name.startswith("__") or name in ("made", "numpy"):
            raise AttributeError(name)
        return getattr(self.as_plain(), name)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the draw."""
        return np.shape(self.made.numbers)

    @property
    def dtype(self) -> Any:
        """The type of its numbers."""
        return np.asarray(self.made.numbers).dtype

    @property
    def T(self) -> Any:  # noqa: N802 - numpy's name
        """The draw with its axes reversed."""
        return self._pick(np.transpose)

    def reshape(self, *shape: Any) -> Any:
        """The draw in another shape."""
        return self._pick(lambda part: np.reshape(part, shape[0] if len(shape) == 1 else shape))

    def ravel(self) -> Any:
        """The draw as a vector."""
        return self._pick(np.ravel)

    def astype(self, kind: Any) -> Any:
        """The draw in another precision."""
        return FollowedDraw(Operand(np.asarray(self.made.numbers).astype(kind), self.made.origin), self.numpy)

    def __getitem__(self, key: Any) -> Any:
        return self._pick(lambda part: part[key])

    def __len__(self) -> int:
        return len(self.made.numbers)

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __array__(self, *args: Any, **named: Any) -> Any:
        return np.asarray(self.as_plain(), *args, **named)

    def __float__(self) -> float:
        return float(self.as_plain())

    def __bool__(self) -> bool:
        return bool(self.as_plain())

    def as_plain(self) -> Any:
        """The numbers as an array of jax: from here on they are not followed."""
        if self.made.origin is not None:
            self.made.origin.mark("released")
        return self.numpy.asarray(self.made.numbers)

    def calculate(self, ufunc: Any, *inputs: Any) -> Any:
        """The result of an operation: noise stays wrapped, an answer is an array of jax."""
        found = apply(ufunc, [_operand(value) for value in inputs])
        if found is not None:
            return wrap_draw(found, self.numpy)
        plain = [value.as_plain() if isinstance(value, FollowedDraw) else value for value in inputs]
        return getattr(self.numpy, ufunc.__name__)(*plain)

    def _pick(self, pick: Callable[[Any], Any]) -> Any:
        origin = self.made.origin
        taken = None if origin is None else origin.take(pick)
        return FollowedDraw(Operand(np.asarray(pick(self.made.numbers)), taken), self.numpy)


def _binary(ufunc: Any, *, reverse: bool = False) -> Callable[..., Any]:
    def calculate(self: FollowedDraw, other: Any) -> Any:
        return self.calculate(ufunc, other, self) if reverse else self.calculate(ufunc, self, other)

    return calculate


_ARITHMETIC: dict[str, Any] = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide}
_COMPARISONS: dict[str, Any] = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
for _name, _ufunc in {**_ARITHMETIC, **_COMPARISONS}.items():
    setattr(FollowedDraw, f"__{_name}__", _binary(_ufunc))
for _name, _ufunc in _ARITHMETIC.items():
    setattr(FollowedDraw, f"__r{_name}__", _binary(_ufunc, reverse=True))
setattr(FollowedDraw, "__neg__", lambda self: self.calculate(np.negative, self))  # noqa: B010 - as those above


def _operand(value: Any) -> Operand:
    return value.made if isinstance(value, FollowedDraw) else Operand(np.asarray(value))


def wrap_draw(made: Operand, numpy: Any) -> Any:
    """Noise as a followed draw, an answer as an array of jax."""
    if made.origin is not None and made.origin.pure:
        return FollowedDraw(made, numpy)
    return numpy.asarray(made.numbers)
