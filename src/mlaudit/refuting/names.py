"""Names for the numbers of a summary: the attributes of the fitted object that hold them."""

import numpy as np

from mlaudit.protocols import Mechanism
from mlaudit.refuting.train import train_once
from mlaudit.scanning.products import read_products
from mlaudit.scanning.walk import attribute_of, read_attributes
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair
from mlaudit.types.readings import name_numbers

_OUTPUT = "output"  # what a scan calls a model that is a plain array


def name_outputs(mechanism: Mechanism, pair: Pair) -> dict[int, str]:
    """The path of each number of the summary in the fitted object, as far as a training on each side tells.

    A number has a name if one attribute only holds it in both trainings.

    >>> from mlaudit.adapters.function import FunctionMechanism
    >>> from mlaudit.types.claim import Claim
    >>> pair = Pair(Dataset([0.0, 1.0]), Dataset([1.0, 1.0]))
    >>> name_outputs(FunctionMechanism(lambda data, rng: [2.0], Claim(1.0)), pair)
    {}
    """
    try:
        sides = [_find_paths(mechanism, data, pair) for data in (pair.base, pair.neighbour)]
    except Exception:  # noqa: BLE001 - a name is a courtesy; whatever a learner raises has been told
        return {}
    named = {at: paths & sides[1].get(at, paths) for at, paths in sides[0].items()}
    return {at: min(found, key=len) for at, found in named.items() if len({*map(attribute_of, found)}) == 1}


def _find_paths(mechanism: Mechanism, data: Dataset, pair: Pair) -> dict[int, set[str]]:
    """The paths that hold each number of the summary of one training."""
    model, vector = train_once(mechanism, data, pair.target)
    named = name_numbers(mechanism.summary(model, pair.target))
    if named and named[0].startswith(f"{_OUTPUT}."):  # a mapping or a table: its keys are the names
        return {at: {name.removeprefix(f"{_OUTPUT}.")} for at, name in enumerate(named)}
    readings = {**read_attributes(model), **read_products(model)}
    paths: dict[float, set[str]] = {}
    for path, value in readings.items():
        if isinstance(value, float) and attribute_of(path) != _OUTPUT:
            paths.setdefault(value, set()).add(path)
    return {at: paths[value] for at, value in enumerate(vector.tolist()) if np.isfinite(value) and value in paths}
