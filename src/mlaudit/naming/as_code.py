"""Python code that reaches a class or a function, and that makes an object again."""

import inspect
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.errors import InvalidInput


def write_imports(thing: Any) -> tuple[str, ...]:
    """The lines that import a function or a class, from its package or from the folder of the user's file.

    >>> from fractions import Fraction
    >>> write_imports(Fraction)
    ('from fractions import Fraction',)
    """
    name, module = getattr(thing, "__name__", "<lambda>"), getattr(thing, "__module__", "")
    if not name.isidentifier() or "<locals>" in getattr(thing, "__qualname__", ""):
        raise InvalidInput(f"a script can only import what has a name in a module, got {name}")
    if module == "__main__" or module.startswith("mlaudit_file_"):
        file = Path(inspect.getsourcefile(thing) or "main.py")
        folder = str(file.resolve().parent)
        return ("import sys", f"sys.path.insert(0, {folder!r})", f"from {file.stem} import {name}")
    return (f"from {module} import {name}",)


def write_imports_of(value: Any) -> tuple[str, ...]:
    """The lines that import the class of an object, and those of the objects in its fields."""
    inner = [getattr(value, f.name) for f in fields(value) if f.init] if is_dataclass(value) else []
    made = [part for part in inner if is_dataclass(part) or isinstance(part, Enum)]
    return tuple(dict.fromkeys(line for part in (type(value), *made) for line in _lines(part)))


def _lines(part: Any) -> tuple[str, ...]:
    return write_imports(part) if isinstance(part, type) else write_imports_of(part)


def write_constructor(value: Any) -> str:
    """The call that makes an object again; np stands for numpy.

    >>> from mlaudit.types.claim import Claim
    >>> write_constructor(Claim(1.0))
    'Claim(epsilon=1.0, delta=0.0, relation=Relation.REPLACE_ONE, gaussian=False)'
    """
    if not is_dataclass(value):
        return f"{type(value).__name__}()"
    unused = {f.name for f in fields(value) if f.metadata.get("later", False) and getattr(value, f.name) is None}
    named = [f.name for f in fields(value) if f.init and f.name not in unused]
    given = ", ".join(f"{name}={_write_value(getattr(value, name))}" for name in named)
    return f"{type(value).__name__}({given})"


def write_estimator(estimator: Any) -> str:
    """The call that makes an estimator again, with the parameters that are not its defaults.

    >>> from sklearn.linear_model import LogisticRegression
    >>> write_estimator(LogisticRegression(C=np.float64(2.0), tol=1e-4))
    'LogisticRegression(C=2.0)'
    """
    given = ", ".join(f"{name}={_write_value(value)}" for name, value in _chosen_parameters(estimator).items())
    return f"{type(estimator).__name__}({given})"


def write_estimator_imports(estimator: Any) -> tuple[str, ...]:
    """The lines that import the classes of an estimator and of its parameters.

    >>> from sklearn.linear_model import LogisticRegression
    >>> write_estimator_imports(LogisticRegression())
    ('from sklearn.linear_model import LogisticRegression',)
    """
    values = [estimator, *_flatten(_chosen_parameters(estimator).values())]
    kinds = [type(value) for value in values if type(value).__module__ not in ("builtins", "numpy")]
    # Libraries keep classes in private modules, and export them from the public one above.
    public = [".".join(part for part in kind.__module__.split(".") if part[0] != "_") for kind in kinds]
    lines = [f"from {module} import {kind.__name__}" for module, kind in zip(public, kinds, strict=True)]
    return tuple(dict.fromkeys(lines))


def _chosen_parameters(estimator: Any) -> dict[str, Any]:
    usual = {name: parameter.default for name, parameter in inspect.signature(type(estimator)).parameters.items()}
    given = estimator.get_params(deep=False)
    return {
        name: value for name, value in given.items() if repr(value) != repr(usual.get(name, inspect.Parameter.empty))
    }


def _flatten(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple | list):
            yield from _flatten(value)
        else:
            yield value


def _write_value(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if type(value) in (tuple, list):
        parts = "".join(f"{_write_value(part)}, " for part in value)
        return f"({parts.rstrip()})" if isinstance(value, tuple) else f"[{parts.rstrip(', ')}]"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return write_estimator(value)
    return write_constructor(value) if is_dataclass(value) and not isinstance(value, type) else repr(value)
