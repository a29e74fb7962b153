"""How a stand-alone script trains what was audited: imports, and a function of (X, y, seed) that returns numbers."""

import inspect
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit.adapters.estimator import EstimatorMechanism
from mlaudit.adapters.fitted import FittedMechanism
from mlaudit.adapters.function import FunctionMechanism
from mlaudit.describe import name_of
from mlaudit.errors import InvalidInput
from mlaudit.plugins import load_shipped, shipped
from mlaudit.protocols import Mechanism
from mlaudit.types.domain import Box, Domain, L2Ball

RECIPES = "searching.recipes"


@dataclass(frozen=True)
class Recipe:
    """Import lines, and the body of `def output(X, y, seed)`."""

    imports: tuple[str, ...]
    body: str


def recipe_of(mechanism: Mechanism, domain: Domain | None) -> Recipe:
    """By the file named after the mechanism, else as the kind of thing that it is."""
    name = name_of(mechanism)
    if name in shipped(RECIPES) and type(mechanism).__module__ == f"mlaudit.mechanisms.{name}":
        made: Recipe = load_shipped(RECIPES, name)(mechanism, domain)
        return made
    if isinstance(mechanism, EstimatorMechanism):
        return _estimator(mechanism)
    if isinstance(mechanism, FunctionMechanism):
        return _function(mechanism)
    if isinstance(mechanism, FittedMechanism):
        return _fitted(mechanism)
    return _mechanism(mechanism, domain)


def of_diffprivlib(model: str, settings: dict[str, Any], fit: str, *lines: str) -> Recipe:
    """A learner of diffprivlib, made with these settings; the lines go from `model` to the numbers.

    >>> print(of_diffprivlib("PCA", {"epsilon": 1.0}, "X", "return model.mean_").body)
    model = PCA(epsilon=1.0, random_state=seed).fit(X)
    return model.mean_
    """
    given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    first = f"model = {model}({given}, random_state=seed).fit({fit})"
    return Recipe((f"from diffprivlib.models import {model}",), "\n".join([first, *lines]))


def bounds(domain: Domain | None) -> tuple[list[float], list[float]]:
    """A box's two corners."""
    if not isinstance(domain, Box):
        raise InvalidInput(f"a script needs the bounds of a box, got {type(domain).__name__}")
    return domain.low.tolist(), domain.high.tolist()


def norm(domain: Domain | None) -> float:
    """A ball's radius, or the diagonal of a box: no row within bounds is further than that from another."""
    if isinstance(domain, L2Ball):
        return domain.radius
    low, high = bounds(domain)
    return float(np.linalg.norm(np.subtract(high, low)))


def classes(domain: Domain | None) -> list[Any]:
    """The labels that rows may carry."""
    return [] if domain is None else list(domain.labels or ())


def _estimator(mechanism: EstimatorMechanism) -> Recipe:
    kind = type(mechanism.estimator)
    module = ".".join(part for part in kind.__module__.split(".") if not part.startswith("_"))
    body = (
        f"model = {mechanism.estimator!r}.set_params(random_state=seed)\n"
        "model.fit(X) if y is None else model.fit(X, y)\n"
        "found = {k: np.asarray(v) for k, v in vars(model).items() if k.endswith('_') and not k.startswith('_')}\n"
        "return np.concatenate([found[k].ravel() for k in sorted(found) if found[k].dtype.kind in 'biuf'])"
    )
    return Recipe((_import(kind, module),), body)


def _function(mechanism: FunctionMechanism) -> Recipe:
    lines = ("from types import SimpleNamespace", *_reached(mechanism.function))
    name = getattr(mechanism.function, "__name__", "")
    call = f"return np.ravel({name}(SimpleNamespace(X=X, y=y), np.random.default_rng(seed)))"
    return Recipe(lines, call)


def _fitted(mechanism: FittedMechanism) -> Recipe:
    learner = mechanism.learner
    takes = inspect.signature(learner.fit).parameters
    given = {
        "y": "y",
        "rng": "np.random.default_rng(seed)",
        "random_state": "np.random.RandomState(seed)",
    }
    named = ", ".join(["X", *(f"{name}={given[name]}" for name in takes if name in given)])
    body = (
        f"learner = {_made(learner)}\n"
        f"returned = learner.fit({named})\n"
        "if returned is not None:\n"
        "    return np.ravel(returned)\n"
        "found = {k: np.asarray(v) for k, v in vars(learner).items() if k.endswith('_')}\n"
        "return np.concatenate([found[k].ravel() for k in sorted(found)])"
    )
    return Recipe(_reached(type(learner)), body)


def _mechanism(mechanism: Mechanism, domain: Domain | None) -> Recipe:
    """Somebody's own class with fit and summary, which take mlaudit's values: its library is mlaudit's guest."""
    lines = (
        *_reached(type(mechanism)),
        "from mlaudit import Box, Dataset, L2Ball, Relation",
    )
    body = (
        f"mechanism = {_made(mechanism)}\n"
        f"data = Dataset(X, y, {_domain(domain)})\n"
        "return np.ravel(mechanism.summary(mechanism.fit(data, np.random.SeedSequence(seed)), TARGET))"
    )
    return Recipe(lines, body)


def _made(value: Any) -> str:
    """The call that makes an object again."""
    if not is_dataclass(value):
        return f"{type(value).__name__}()"
    given = ", ".join(f"{f.name}={_code(getattr(value, f.name))}" for f in fields(value) if f.init)
    return f"{type(value).__name__}({given})"


def _code(value: Any) -> str:
    kind = type(value)
    return f"{kind.__name__}.{value.name}" if kind.__name__ == "Relation" else repr(value)


def _domain(domain: Domain | None) -> str:
    if isinstance(domain, Box):
        return f"Box({domain.low.tolist()}, {domain.high.tolist()}, {domain.labels!r})"
    return f"L2Ball({domain.radius!r}, {domain.labels!r})" if isinstance(domain, L2Ball) else "None"


def _import(thing: Any, module: str = "") -> str:
    return f"from {module or thing.__module__} import {thing.__name__}"


def _reached(thing: Any) -> tuple[str, ...]:
    """How a script reaches a function or class: an import, from a package or from the folder of the user's file."""
    name, module = getattr(thing, "__name__", "<lambda>"), getattr(thing, "__module__", "")
    if not name.isidentifier() or "<locals>" in getattr(thing, "__qualname__", ""):
        raise InvalidInput(f"a script can only import what has a name in a module, got {name}")
    file = inspect.getsourcefile(thing)
    if module == "__main__" or module.startswith("mlaudit_file_"):
        return ("import sys", f"sys.path.insert(0, {str(Path(file or '.').resolve().parent)!r})", _from(file, name))
    return (_import(thing),)


def _from(file: str | None, name: str) -> str:
    return f"from {Path(file or 'main.py').stem} import {name}"
