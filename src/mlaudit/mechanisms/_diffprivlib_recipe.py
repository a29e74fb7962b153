"""How a script trains a model of diffprivlib by hand."""

from typing import Any

import numpy as np

from mlaudit.errors import InvalidInput
from mlaudit.types.domain import Box, Domain, L2Ball
from mlaudit.types.recipe import Recipe


def write_recipe(model: str, settings: dict[str, Any], fit: str, *lines: str) -> Recipe:
    """The recipe of a model of diffprivlib, made with these settings; the lines go from `model` to the numbers.

    >>> print(write_recipe("PCA", {"epsilon": 1.0}, "X", "return model.mean_").body)
    model = PCA(epsilon=1.0, random_state=seed).fit(X)
    return model.mean_
    """
    given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
    first = f"model = {model}({given}, random_state=seed).fit({fit})"
    return Recipe((f"from diffprivlib.models import {model}",), "\n".join([first, *lines]))


def bounds_in(domain: Domain | None) -> tuple[list[float], list[float]]:
    """A box's two corners."""
    if not isinstance(domain, Box):
        raise InvalidInput(f"a script needs the bounds of a box, got {type(domain).__name__}")
    return domain.low.tolist(), domain.high.tolist()


def norm_in(domain: Domain | None) -> float:
    """A ball's radius, or the diagonal of a box: no row within bounds is further than that from another."""
    if isinstance(domain, L2Ball):
        return domain.radius
    low, high = bounds_in(domain)
    return float(np.linalg.norm(np.subtract(high, low)))


def labels_in(domain: Domain | None) -> list[Any]:
    """The labels that rows may carry."""
    return [] if domain is None else list(domain.labels or ())
