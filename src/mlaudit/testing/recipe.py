"""The contract of a mechanism's recipe: a script that follows it gives what the mechanism's own trainings give."""

import warnings
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from mlaudit.drawing.outcome import as_vector
from mlaudit.protocols import HasRecipe, Mechanism
from mlaudit.testing.checks import Check, check
from mlaudit.testing.equivalence import compare
from mlaudit.testing.sampler import fit_rows
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.numbers import p_value
from mlaudit.types.pair import Pair

_RARE = 1e-7  # how often equal distributions look as different as that


def check_recipe(mechanism: Mechanism, pair: Pair, *, trainings: int = 150) -> list[Check]:
    """Check the recipe of a mechanism (`HasRecipe`) against the mechanism's own `fit`.

    The checks execute the recipe's code.

    Args:
        mechanism: The mechanism, with `recipe(domain)`.
        pair: Both of its datasets are trained on.
        trainings: How many trainings of either kind are compared, on each dataset.

    Returns:
        One check for each expectation. A correct recipe fails with probability below 2e-7.
    """
    domain = mechanism.domain(pair.base)
    sides = [side.within(domain) for side in (pair.base, pair.neighbour)]
    return [
        check("its recipe is code that runs", lambda: _find_broken(mechanism, sides[0], pair.target)),
        check(
            "its recipe gives what its own trainings give",
            lambda: _find_other_law(mechanism, sides, pair.target, trainings),
        ),
    ]


def compile_recipe(mechanism: Mechanism, data: Dataset, target: FloatArray | None) -> Callable[..., Any]:
    """The function output(X, y, seed) of a script."""
    recipe = cast(HasRecipe, mechanism).recipe(data.domain)
    body = "\n".join(f"    {line}" for line in recipe.body.splitlines())
    scope: dict[str, Any] = {"np": np, "TARGET": target}
    exec("\n".join([*recipe.imports, "def output(X, y, seed):", body]), scope)  # noqa: S102 - the mechanism's own code
    made: Callable[..., Any] = scope["output"]
    return made


def _follow(mechanism: Mechanism, data: Dataset, target: FloatArray | None, n: int) -> FloatArray:
    """The outputs of n trainings by the script."""
    output = compile_recipe(mechanism, data, target)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as the script does
        return np.vstack([as_vector(output(data.X, data.y, seed)) for seed in range(n)])


def _find_broken(mechanism: Mechanism, data: Dataset, target: FloatArray | None) -> str:
    try:
        _follow(mechanism, data, target, 2)
    except Exception as error:  # noqa: BLE001 - whatever the code raises
        return f"{type(error).__name__}: {error}; write the body of output(X, y, seed), which returns numbers"
    return ""


def _find_other_law(mechanism: Mechanism, sides: list[Dataset], target: FloatArray | None, trainings: int) -> str:
    for name, data in zip(("D", "D′"), sides, strict=True):
        script = _follow(mechanism, data, target, trainings)
        own = fit_rows(mechanism, data, target, trainings, seed=1)
        if script.shape[1] != own.shape[1]:
            return f"the script gives {script.shape[1]} numbers, and fit {own.shape[1]}; return the whole summary"
        found = compare(script, own)
        if found.pvalue < _RARE:
            where = f"on {name} they differ, above all in number {found.coordinate} (p {p_value(found.pvalue)})"
            return f"{where}; train as fit does"
    return ""
