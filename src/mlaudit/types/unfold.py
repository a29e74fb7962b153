"""One step from any object towards numbers, texts, lists and dicts. No library is imported for it."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from mlaudit.types.trees import is_tree, tree_arrays

Plain = Any  # a number, an array, a text, a list, a tuple or a mapping


def unfold(value: Any) -> Plain | None:
    """The content of an object that is neither numbers nor text: columns of a table, parameters of a model.

    Args:
        value: Any object.

    Returns:
        A mapping, a list, an array or a text; None if nothing is known about such objects.

    Example:
        >>> from types import SimpleNamespace
        >>> unfold({3, 1}), unfold(SimpleNamespace(means_=[1.0], n=2))
        ('{1, 3}', {'means_': [1.0]})
    """
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(repr, value)))}}}"
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if is_tree(value):
        return tree_arrays(value)
    for method in (_tensor, _table, _module):
        found = method(value)
        if found is not None:
            return found
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in fields(value)}
    return _fitted(value)


def _tensor(value: Any) -> Plain | None:
    """A tensor of torch as an array."""
    return value.detach().cpu().numpy() if hasattr(value, "detach") and hasattr(value, "cpu") else None


def _table(value: Any) -> Plain | None:
    """The columns of a table of pyarrow, polars or pandas; the values of a single column."""
    if hasattr(value, "to_pydict"):  # pyarrow
        return value.to_pydict()
    if hasattr(value, "columns") and hasattr(value, "to_dict"):  # pandas and polars
        return {str(name): _list(value[name]) for name in value.columns}
    column = hasattr(value, "to_list") or hasattr(value, "to_pylist")
    return _list(value) if column and not isinstance(value, type) else None


def is_table(value: object) -> bool:
    """Whether a value is a table with named columns, of pandas, polars or pyarrow.

    >>> is_table([1.0]), is_table(None)
    (False, False)
    """
    named = hasattr(value, "columns") and hasattr(value, "to_dict")
    return (named or hasattr(value, "to_pydict")) and not isinstance(value, type)


def _list(column: Any) -> list[Any]:
    for name in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def _module(value: Any) -> Plain | None:
    """The parameters and buffers of a module of torch."""
    found = value.state_dict() if callable(getattr(value, "state_dict", None)) else None
    return dict(found) if isinstance(found, Mapping) else None


def _fitted(value: Any) -> Plain | None:
    """The attributes that a training leaves in an object, by the convention of scikit-learn."""
    attributes = getattr(value, "__dict__", None)
    if isinstance(value, type) or not isinstance(attributes, dict):
        return None
    found = {name: one for name, one in attributes.items() if name.endswith("_") and not name.startswith("_")}
    return {name: one for name, one in found.items() if not _is_template(one)} or None


def _is_template(value: Any) -> bool:
    """Whether a value is an estimator that was not fitted: the members of an ensemble are copies of such a one."""
    return hasattr(value, "get_params") and not isinstance(value, type) and _fitted(value) is None
