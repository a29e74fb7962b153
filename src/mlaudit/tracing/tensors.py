# ruff: noqa: SLF001 - torch has no public name for "as if this were no subclass"
"""Tensors of torch that remember the noise in them. torch is an extra: nothing here imports it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from mlaudit.tracing.arithmetic import apply, flip
from mlaudit.tracing.followed import attach
from mlaudit.tracing.laws import COIN
from mlaudit.tracing.origin import Operand, Origin
from mlaudit.tracing.tape import WEIGHT

# The operations of torch that are followed, by the name of torch's function, and numpy's name of the same.
_ARITHMETIC: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "subtract": np.subtract,
    "mul": np.multiply,
    "multiply": np.multiply,
    "div": np.divide,
    "divide": np.divide,
    "true_divide": np.divide,
    "neg": np.negative,
    "negative": np.negative,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "less": np.less,
    "greater": np.greater,
}
_REVERSED: dict[str, Any] = {
    "rsub": np.subtract,
    "__rsub__": np.subtract,
    "__rdiv__": np.divide,
    "__rtruediv__": np.divide,
}
_IN_PLACE: dict[str, Any] = {"add_": np.add, "sub_": np.subtract, "mul_": np.multiply, "div_": np.divide}
_IN_PLACE |= {"__iadd__": np.add, "__isub__": np.subtract, "__imul__": np.multiply, "__itruediv__": np.divide}
_SHAPING: tuple[str, ...] = (
    "view",
    "reshape",
    "view_as",
    "reshape_as",
    "squeeze",
    "unsqueeze",
    "expand",
    "expand_as",
)
_SHAPING += ("flatten", "transpose", "permute", "t", "__getitem__", "ravel")
_KEEPING = ("to", "float", "double", "clone", "detach", "contiguous", "cpu", "type_as", "requires_grad_")


def is_followed(value: Any) -> bool:
    """Whether a value is a tensor that remembers its noise."""
    return isinstance(getattr(value, "origin", None), Origin) and hasattr(value, "as_subclass")


def plain(value: Any) -> Any:
    """A tensor as a usual one; any other value as it is."""
    return value.as_plain() if is_followed(value) else value


def numbers_of(value: Any) -> Any:
    """The numbers of a tensor, or of anything else, as an array."""
    value = plain(value)
    found = value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)
    return found.copy() if found.dtype.kind in "fiub" else found.astype(float)


@cache
def make_tensor_class(torch: Any) -> Any:
    """The class of followed tensors, for the loaded torch."""

    class FollowedTensor(torch.Tensor):  # type: ignore[misc]
        """A tensor of noise with its origin."""

        origin: Origin | None = None

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            name = getattr(func, "__name__", "")
            found = _follow(torch, cls, name, func, args, kwargs)
            if found is not NotImplemented:
                return found
            with torch._C.DisableTorchFunctionSubclass():
                result = func(*args, **kwargs)
            if name not in _SILENT:
                _release(args, kwargs)
            return result

        @staticmethod
        def wrap(made: Operand, like: Any) -> Any:
            """The result of a calculation: noise as a followed tensor, anything else as a plain one."""
            return _wrap(torch, FollowedTensor, made, like)

        @staticmethod
        def refill(tensor: Any, made: Operand) -> Any:
            """Put noise into an existing tensor, which then remembers it."""
            return _refill(torch, FollowedTensor, tensor, made)

        @staticmethod
        def is_parameter(tensor: Any) -> bool:
            """Whether a tensor is a weight."""
            return isinstance(tensor, torch.nn.Parameter)

        def as_plain(self) -> Any:
            """The tensor without its origin; the same memory."""
            with torch._C.DisableTorchFunctionSubclass():
                return self.as_subclass(torch.Tensor)

        def __deepcopy__(self, memo: Any) -> Any:
            return self.as_plain().clone()

    return FollowedTensor


_SILENT = ("__get__", "__set__", "size", "dim", "numel", "__len__", "is_floating_point", "is_complex", "__hash__")


def _wrap(torch: Any, cls: Any, made: Operand, like: Any) -> Any:
    kind = torch.bool if np.asarray(made.numbers).dtype.kind == "b" else like.dtype
    tensor = torch.as_tensor(np.array(made.numbers)).to(dtype=kind, device=like.device)
    if made.origin is None or not made.origin.pure:
        return tensor
    tensor = tensor.as_subclass(cls)
    tensor.origin = made.origin
    return tensor


def _refill(torch: Any, cls: Any, tensor: Any, made: Operand) -> Any:
    with torch._C.DisableTorchFunctionSubclass(), torch.no_grad():
        tensor.copy_(torch.as_tensor(np.array(made.numbers)))
    if made.origin is not None and made.origin.pure:
        if type(tensor) is torch.Tensor:
            tensor.__class__ = cls
        tensor.origin = made.origin
    return tensor


def _follow(torch: Any, cls: Any, name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """What torch's function makes of noise; NotImplemented if it is not followed."""
    if name in _SHAPING or name in _KEEPING:
        return _keep(torch, cls, name, func, args, kwargs)
    if name == "numpy" and len(args) == 1:
        return attach(numbers_of(args[0]), args[0].origin)
    if name == "where" and len(args) == 3 and not kwargs and _kind(args[0]) == COIN:
        _release(args[1:], {})
        result = flip(_operand(args[0]), numbers_of(args[1]), numbers_of(args[2]))
        return torch.as_tensor(np.asarray(result))
    alpha = kwargs.get("alpha", 1)
    if name not in {**_ARITHMETIC, **_REVERSED, **_IN_PLACE} or set(kwargs) - {"alpha"} or len(args) > 2:
        return NotImplemented
    if alpha != 1:
        args = (args[0], args[1] * alpha)
    if name in _REVERSED:
        args, ufunc = args[::-1], _REVERSED[name]
    else:
        ufunc = {**_ARITHMETIC, **_IN_PLACE}[name]
    return _calculate(torch, cls, ufunc, args, func if name in _IN_PLACE else None)


def _calculate(torch: Any, cls: Any, ufunc: Any, args: Any, in_place: Callable[..., Any] | None) -> Any:
    made = apply(ufunc, [_operand(value) for value in args])
    if made is None:
        return NotImplemented
    target = args[0] if in_place is not None else None
    if target is not None and hasattr(target, "copy_"):
        return cls.refill(target, made)
    like = max((value for value in args if hasattr(value, "dtype") and hasattr(value, "device")), key=_precision)
    found = cls.wrap(made, like)
    learns = any(getattr(value, "requires_grad", False) for value in args)
    if not learns or made.origin is None:
        return found
    # Gradients flow through the value that noise was added to.
    with torch._C.DisableTorchFunctionSubclass():
        graph = next(value for value in args if getattr(value, "requires_grad", False))
        return graph + (found - graph).detach()


def _precision(tensor: Any) -> tuple[bool, int]:
    return bool(tensor.dtype.is_floating_point), int(tensor.dtype.itemsize)


def _keep(torch: Any, cls: Any, name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Noise in another shape or precision."""
    first = args[0]
    if not is_followed(first):
        return NotImplemented
    with torch._C.DisableTorchFunctionSubclass():
        result = func(*args, **kwargs)
        if name == "requires_grad_":
            first.origin.mark(WEIGHT)
            first.origin = None
            return result
        origin = first.origin
        if name in _SHAPING:
            places = torch.arange(first.numel()).reshape(first.shape)
            index = func(places, *args[1:], **kwargs).numpy()
            origin = origin.take(lambda part: np.ravel(part)[index])
        made = result.as_subclass(cls)
    made.origin = origin
    return made


def _operand(value: Any) -> Operand:
    origin = value.origin if is_followed(value) else None
    return Operand(numbers_of(value), origin)


def _kind(value: Any) -> str:
    return value.origin.law.kind if is_followed(value) else ""


def _release(args: Any, kwargs: Any) -> None:
    for value in (*args, *kwargs.values()):
        if isinstance(value, list | tuple):
            _release(value, {})
        elif is_followed(value):
            value.origin.mark("released")
