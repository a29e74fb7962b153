"""From a spec to the data that an audit starts from: a dataset, a search for the worst one, or a pair."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

from mlaudit.auditing.learner import call_users_code
from mlaudit.auditing.spec import WORST, AuditSpec, LearnerSpec
from mlaudit.auditing.spell import option_name
from mlaudit.datasets._load import load_data
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load
from mlaudit.search.worst import UNIT_ROWS, Worst
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair
from mlaudit.types.preparation import Preparation
from mlaudit.types.traits import preparation_for

LoadData = Callable[[str, str | None, Preparation, tuple[str, ...]], Dataset]

# The fields of a spec that prepare a table, and what `Preparation` calls them.
_PREPARING = {
    "max_rows": "rows",
    "categorical": "categorical",
    "data_seed": "seed",
    "scale": "scale",
    "classes": "classes",
    "columns": "columns",
    "drop": "drop",
    "missing": "missing",
    "unit": "unit",
    "typed": "typed",
}
_CRAFTING = ("bounds", "vary_domain", "max_columns", "unit_rows")
_READING = ("target", "classes", "categorical", "scale", "data_seed", "columns", "drop", "missing", "typed")


def build_data(spec: LearnerSpec, mechanism: Any, loader: LoadData = load_data) -> Dataset | None:
    """A dataset by name, or a file, prepared as the mechanism prefers unless the spec says otherwise.

    Args:
        spec: Names the data.
        mechanism: What is to be trained on them. Its `preparation` is the default.
        loader: Loads the data. A sweep passes a function that loads each dataset once.

    Returns:
        The dataset, or None where the spec names none.

    Raises:
        InvalidInput: If the data cannot be read, or if options are given that other data need.
    """
    if spec.data == WORST:
        raise InvalidInput("--data worst works only with run and relations; name a dataset or a file")
    crafting = _list_options_set(spec, _CRAFTING)
    if crafting:
        raise InvalidInput(f"{crafting[0]} works only with --data worst, got other data; leave it out")
    if spec.data is None:
        if spec.target is not None:
            raise InvalidInput("--target names a column of a file, got no --data; leave --target out")
        if spec.unit is not None:
            raise InvalidInput("--unit names a column of a file, got no --data; leave --unit out")
        return None
    usual = preparation_for(mechanism)
    asked = {name: getattr(spec, name) for name in _PREPARING if getattr(spec, name) is not None}
    how = replace(usual, **{_PREPARING[name]: value for name, value in asked.items()})
    call = partial(loader, spec.data, spec.target, how, tuple(map(option_name, asked)))
    return cast(Dataset, call_users_code(call, spec.data, "run it in Python"))


def build_data_or_worst(spec: AuditSpec, mechanism: Any, loader: LoadData) -> Dataset | Worst | None:
    """The data that a spec names; `worst` asks for a search."""
    if spec.data != WORST:
        return build_data(spec, mechanism, loader)
    reading = _list_options_set(spec, _READING)
    if reading:
        raise InvalidInput(f"--data worst is crafted, not read, got {', '.join(reading)}; leave that out")
    each = UNIT_ROWS if spec.unit_rows is None and spec.unit is not None else spec.unit_rows
    sizes: dict[str, Any] = {"rows": spec.max_rows, "columns": spec.max_columns, "unit_rows": each, "unit": spec.unit}
    return Worst(spec.bounds, spec.vary_domain, **{name: size for name, size in sizes.items() if size is not None})


def _list_options_set(spec: LearnerSpec, names: tuple[str, ...]) -> list[str]:
    """Those of the options that a spec has and sets."""
    values = {name: getattr(spec, name, None) for name in names}
    return [option_name(name) for name, value in values.items() if value is not None and value is not False]


def build_pair(text: str | None) -> Pair | None:
    """A Pair of the user's file, or what a function of that name returns."""
    if text is None:
        return None
    if ":" not in text:
        raise InvalidInput(f"--pair must name an object of a file, as in my_file.py:my_pair, got {text!r}")
    found = load("pairs", text)
    pair = call_users_code(found, text, "run it in Python to see why") if callable(found) else found
    if not isinstance(pair, Pair):
        raise InvalidInput(f"{text} must be a Pair or return one, got {type(pair).__name__}")
    return pair
