"""Read a fitted object as a flat mapping from paths to numbers and texts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import isfinite
from numbers import Number, Real
from typing import Any

import numpy as np
from numpy.random import BitGenerator, Generator, RandomState

from mlaudit.distinguish.clues import Value
from mlaudit.types.arrays import AnyArray
from mlaudit.types.outputs import read_numbers
from mlaudit.types.trees import is_tree

Readings = dict[str, Value]

_DEEPEST = 8
_MOST = 200  # entries of an array or list that are read one by one; of longer ones only what is derived
_ROOM = 100_000  # entries of all trees of a forest that are read one by one
_NOISE = (RandomState, Generator, BitGenerator)  # what noise was drawn from: it says nothing about the data
_INDEX = re.compile(r"\[\d+(, \d+)*\]|\(row \d+\)")
_DERIVED = re.compile(r"\.(shape|dtype|length|keys|sum|least|greatest|message)$")


def read_attributes(model: object) -> Readings:
    """Read every number and text inside, public and private, with lengths, shapes, types, keys and sums of arrays.

    Parameters are read like learned values: a parameter that differs between D and D′ (as bounds taken from the rows)
    is a leak as well.

    >>> class Model:
    ...     def __init__(self):
    ...         self.epsilon, self.counts_, self._cache = 1, np.array([40.0, 60.0]), {"a": "b"}
    >>> readings = read_attributes(Model())
    >>> readings["epsilon"], readings["counts_[1]"], readings["counts_.sum"], readings["_cache['a']"]
    (1.0, 60.0, 100.0, 'b')
    >>> read_attributes([3.0])
    {'output.length': 1.0, 'output[0]': 3.0}
    >>> read_attributes(1 + 2j)
    {'output.real': 1.0, 'output.imag': 2.0}
    """
    parts = None if isinstance(model, np.ndarray) else _state(model)
    if parts is None:
        return dict(_visit("output", model, ()))
    return {path: value for name, part in parts.items() for path, value in _visit(name, part, (id(model),))}


def attribute_of(path: str) -> str:
    """The attribute that a path belongs to, without indices and derived values.

    >>> attribute_of("class_count_[0]"), attribute_of("class_count_.sum"), attribute_of("trees_[3].value[1, 2]")
    ('class_count_', 'class_count_', 'trees_[].value')
    """
    return _DERIVED.sub("", _INDEX.sub("[]", path)).removesuffix("[]").removesuffix("[]")


def is_public(path: str) -> bool:
    """Whether no part of the path starts with an underscore; scikit-learn's trailing one is public.

    >>> is_public("coef_[0]"), is_public("_obj_coefs[0]"), is_public("tree_._cache['a']")
    (True, False, False)
    """
    return not any(part.startswith("_") for part in re.split(r"[.\[]", path))


def _visit(path: str, value: Any, above: tuple[int, ...], room: int = _ROOM) -> Iterator[tuple[str, Value]]:
    """Every number and text of a value; `room` is for the entries of each tree in it."""
    if isinstance(value, _NOISE) or id(value) in above or len(above) > _DEEPEST:
        return
    inside = (*above, id(value))
    if value is None or isinstance(value, str | bytes | bool | np.bool_):
        yield path, str(value)
    elif isinstance(value, Number):
        yield from _number(path, value)
    elif isinstance(value, np.ndarray):
        yield from _array(path, value, inside)
    elif isinstance(value, Mapping):
        yield f"{path}.keys", ", ".join(map(repr, value))
        for key, item in value.items():
            yield from _visit(f"{path}[{key!r}]", item, inside)
    elif isinstance(value, list | tuple):
        yield f"{path}.length", float(len(value))
        for index, item in enumerate(value[:_MOST]):
            yield from _visit(f"{path}[{index}]", item, inside, room // min(len(value), _MOST))
    elif isinstance(value, set | frozenset):
        yield path, ", ".join(sorted(map(repr, value)))
    else:
        yield from _object(path, value, inside, room)


def _number(path: str, value: object) -> Iterator[tuple[str, Value]]:
    """A number, or the two parts of a complex number."""
    if isinstance(value, Real):
        return iter([(path, number(float(value)))])  # most of them: no need to make an array
    read = read_numbers(value)
    parts = [path] if read is None or not read.ndim else [f"{path}.real", f"{path}.imag"]
    found = [str(value)] if read is None else map(number, read.ravel().tolist())
    return zip(parts, found, strict=True)


def _object(path: str, value: object, inside: tuple[int, ...], room: int) -> Iterator[tuple[str, Value]]:
    if isinstance(value, type) or callable(value):
        yield path, getattr(value, "__qualname__", type(value).__qualname__)
        return
    yield path, type(value).__qualname__
    parts = (_state(value) or {}).items()
    found = (one for name, part in parts for one in _visit(f"{path}.{name}", part, inside, room))
    yield from _tree(path, value, found, room) if is_tree(value) else found


def _tree(path: str, tree: Any, found: Iterable[tuple[str, Value]], room: int) -> Iterator[tuple[str, Value]]:
    """Every node, before what is derived: of two equally strong clues the first is told, and names a leaf."""
    everything = [*found, *_nodes(path, tree, room)]
    return iter(sorted(everything, key=lambda one: _DERIVED.search(one[0]) is not None))


def _nodes(path: str, tree: Any, room: int) -> Iterator[tuple[str, Value]]:
    """The nodes of a tree that is too large to be read as other arrays are: every leaf and every split.

    The paths are those of a small tree. What is equal in all nodes is left out, since least and greatest tell it, and
    so are the children: their hash tells the structure.
    """
    if tree.value.size <= _MOST and len(tree.feature) <= _MOST:
        return
    leaf = np.asarray(tree.children_left) < 0
    children = np.stack([tree.children_left, tree.children_right])
    yield f"{path}.structure", sha256(children.astype(np.int64).tobytes()).hexdigest()[:12]
    parts = {"feature": ~leaf, "threshold": ~leaf, "impurity": None, "n_node_samples": None}
    arrays = [(f"nodes.{name}", np.asarray(getattr(tree, name)), at) for name, at in parts.items()]
    inner = tree.value[~leaf].any()  # some libraries leave the values of inner nodes at 0
    arrays.append(("values", np.asarray(tree.value), None if inner else leaf))
    for name, array, chosen in arrays:
        if array.size > _MOST and array.min() < array.max() and len(array) <= room:
            yield from _entries(f"{path}.{name}", array, chosen)


def _entries(path: str, array: AnyArray, chosen: Any) -> Iterator[tuple[str, Value]]:
    """The entries of some nodes, or of all."""
    kept = np.ones(len(array), dtype=bool) if chosen is None else chosen
    marks = np.broadcast_to(kept.reshape(-1, *[1] * (array.ndim - 1)), array.shape).ravel()
    return (found for found, mark in zip(numbers(path, array), marks.tolist(), strict=True) if mark)


def _state(value: object) -> dict[str, Any] | None:
    """An object's attributes; of one without a dictionary (an extension type) what it would be pickled as."""
    if isinstance(value, Mapping | list | tuple | set | frozenset | str | bytes | Number | type(None)):
        return None
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    state = value.__getstate__() if hasattr(value, "__getstate__") else None
    state = state[1] if isinstance(state, tuple) and len(state) == 2 else state  # of a class with slots
    return {str(name): part for name, part in state.items()} if isinstance(state, dict) else None


def _array(path: str, array: Any, inside: tuple[int, ...]) -> Iterator[tuple[str, Value]]:
    yield f"{path}.shape", " × ".join(map(str, array.shape)) or "scalar"
    yield f"{path}.dtype", str(array.dtype)
    if array.dtype.names:
        for name in array.dtype.names:
            yield from _visit(f"{path}.{name}", array[name], inside)
        return
    if array.dtype.kind == "c":
        for name in ("real", "imag"):
            yield from _visit(f"{path}.{name}", getattr(array, name), inside)
        return
    if array.dtype.kind in "biuf":
        if array.size:
            with np.errstate(all="ignore"):
                derived = (("sum", array.sum()), ("least", array.min()), ("greatest", array.max()))
            yield from ((f"{path}.{name}", number(float(result))) for name, result in derived)
        if array.size <= _MOST:
            yield from numbers(path, array)
        return
    for name, entry in zip(entry_names(array.shape), array.ravel()[:_MOST].tolist(), strict=False):
        yield from _visit(f"{path}{name}", entry, inside)


def numbers(path: str, array: Any) -> Iterator[tuple[str, Value]]:
    """Every entry of an array of numbers."""
    entries: list[Value] = array.astype(float).ravel().tolist()
    if not np.isfinite(array).all():
        entries = [number(float(entry)) for entry in entries]
    return ((path + name, entry) for name, entry in zip(entry_names(array.shape), entries, strict=True))


@cache
def entry_names(shape: tuple[int, ...]) -> tuple[str, ...]:
    """The names of the entries of an array.

    >>> entry_names((1, 2)), entry_names(())
    (('[0, 0]', '[0, 1]'), ('',))
    """
    return tuple(f"[{', '.join(map(str, index))}]" if index else "" for index in np.ndindex(shape))


def number(value: float) -> Value:
    """A finite number as it is; NaN and infinities as texts, since they compare like names."""
    return value if isfinite(value) else str(value)
