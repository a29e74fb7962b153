"""Serve a learner to mlaudit from any Python 3.7 or later. This one file needs no other package.

    mlaudit helper python > mlaudit_serve.py
    mlaudit run "cmd: other_env/bin/python mlaudit_serve.py my_file.py:learner" --data iris --epsilon 1

The learner is a function, a class or an object with `fit`, in a file or a module. Arguments are given by their names:

    data              the rows as data.X and data.y, and data.units, data.bounds, data.norm, data.labels; of a typed
                      table also data.columns, an array (or a list) for each column by its name, and data.frame()
    X, y              the rows and their labels: numpy arrays if numpy is installed, else tuples; the rows of a
                      typed table are tuples of values
    units             the owner of each row, or None if every row is a unit of its own
    rng               a numpy Generator, or a random.Random if numpy is not installed
    random_state      a whole number below 2**32
    seed              a whole number below 2**128
    epsilon, delta    the claim
    NAME              a parameter that was given with --param NAME=VALUE

A function whose arguments have other names is called as f(data, rng). The output is what the function or `fit`
returns, or all attributes that `fit` leaves behind whose names end in _. The generators of `random`, numpy and torch
are seeded before every training. In a file of your own, call serve(learner) instead.
"""

import copy
import importlib
import importlib.util
import inspect
import json
import math
import os
import random
import sys
import time
from types import SimpleNamespace
from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

PROTOCOL = 1
_FLUSH = 0.05  # seconds after which answers are sent, at the latest
_GIVEN = ("data", "X", "y", "units", "rng", "random_state", "seed", "epsilon", "delta")
_NAMES = {math.inf: "Infinity", -math.inf: "-Infinity"}
_TREE = ("children_left", "children_right", "feature", "threshold", "value", "n_node_samples")


def serve(learner: Any, **facts: Any) -> None:
    """Answer the requests of mlaudit until the input ends.

    Args:
        learner: A function, a class, or an object with `fit`.
        **facts: What mlaudit is told in the hello, as name="my_learner", version="1.0", bounds=[0, 1], labels=[0, 1].
    """
    source, sink = _take_pipes()
    hello = json.loads(source.readline())
    call = _Call(learner, hello)
    _write(sink, {"type": "hello", "protocol": PROTOCOL, **_describe(learner), **facts})
    sink.flush()
    slots = {}
    for line in source:
        message = json.loads(line)
        if message["type"] == "data":
            slots[message["slot"]] = _read_data(message)
        elif message["type"] == "draw":
            _draw(call, slots[message["slot"]], message["seeds"], sink)


def _draw(call: "_Call", data: Any, seeds: Any, sink: Any) -> None:
    sent = time.monotonic()
    for seed in seeds:
        try:
            answer = {"output": to_plain(call.train(data, int(seed, 16)))}
        except Exception as error:  # noqa: BLE001 - whatever a learner raises is an output
            answer = {"error": type(error).__name__, "message": str(error)}
        _write(sink, answer)
        if time.monotonic() - sent > _FLUSH:
            sink.flush()
            sent = time.monotonic()
    _write(sink, {"type": "done"})
    sink.flush()


class _Call:
    """How a learner is called: which of its arguments get which values."""

    def __init__(self, learner: Any, hello: Any) -> None:
        self.fixed = {"epsilon": hello.get("epsilon"), "delta": hello.get("delta"), **hello.get("params", {})}
        used = set()
        if isinstance(learner, type):
            wanted = _read_parameters(learner)
            used = {name for name in self.fixed if name in wanted}
            learner = learner(**{name: self.fixed[name] for name in used})
        self.learner = learner
        self.fits = callable(getattr(learner, "fit", None))
        names = _read_parameters(learner.fit if self.fits else learner)
        known = [name for name in names if name in _GIVEN or name in self.fixed]
        required = [name for name, default in names.items() if default is inspect.Parameter.empty]
        unknown = [name for name in required if name not in known]
        self.by_place = not self.fits and len(unknown) == len(required) == 2
        if unknown and not self.by_place:
            raise SystemExit(f"mlaudit_serve: the learner takes {', '.join(unknown)}; give it with --param")
        self.names = [] if self.by_place else known
        strange = set(hello.get("params", {})) - used - set(names)
        if strange:
            raise SystemExit(f"mlaudit_serve: the learner has no parameter {', '.join(sorted(strange))}")

    def train(self, data: Any, seed: int) -> Any:
        """One training."""
        _seed_generators(seed)
        if self.by_place:
            return self.learner(data, _make_rng(seed))
        given = {name: self._value(name, data, seed) for name in self.names}
        return self._fit(given, seed) if self.fits else self.learner(**given)

    def _fit(self, given: Any, seed: int) -> Any:
        learner = copy.deepcopy(self.learner)
        if hasattr(learner, "get_params"):
            names = [n for n in learner.get_params() if n == "random_state" or n.endswith("__random_state")]
            learner.set_params(**{name: (seed + at) % 2**32 for at, name in enumerate(sorted(names))})
        returned = learner.fit(**given)
        return learner if returned is None else returned

    def _value(self, name: str, data: Any, seed: int) -> Any:
        if name in self.fixed:
            return self.fixed[name]
        if name in ("X", "y", "units"):
            return getattr(data, name)
        if name == "rng":
            return _make_rng(seed)
        return {"data": data, "random_state": seed % 2**32, "seed": seed}[name]


def _read_parameters(call: Any) -> Any:
    """The names that a call takes, with their defaults."""
    try:
        found = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return {"data": inspect.Parameter.empty, "rng": inspect.Parameter.empty}
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {one.name: one.default for one in found if one.kind in kinds}


def _make_rng(seed: int) -> Any:
    return random.Random(seed) if np is None else np.random.default_rng(seed)  # noqa: S311 - repeatable, not secret


def _seed_generators(seed: int) -> None:
    """Seed the global generators: a learner that draws from them is then as repeatable as one that takes a seed."""
    random.seed(str(seed))  # the number itself would give `random` the same draws as numpy
    if np is not None:
        np.random.seed([seed >> shift & 0xFFFFFFFF for shift in (0, 32, 64, 96)])
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed % 2**63)


def _read_data(message: Any) -> Any:
    """Rows that cannot be written to: a learner that changes them must not change the next training."""
    if message.get("types"):
        return _read_typed(message)
    rows = [[float(value) for value in row] for row in message["X"]]
    if np is None:
        X: Any = tuple(map(tuple, rows))
        y, units = (None if part is None else tuple(part) for part in (message["y"], message.get("units")))
    else:
        X = np.array(rows)
        y, units = (None if part is None else np.array(part) for part in (message["y"], message.get("units")))
        for array in (X, y, units):
            if array is not None:
                array.flags.writeable = False
    return SimpleNamespace(**{**message, "X": X, "y": y, "units": units})


def _read_typed(message: Any) -> Any:
    """A typed table: the values of each column by its name, of a type that does not depend on the values."""
    labels = message["y"]
    rows = tuple(map(tuple, message["X"]))
    columns = {
        about["name"]: _read_column([row[at] for row in rows], about) for at, about in enumerate(message["types"])
    }
    y = labels if labels is None or np is None else np.array(labels)
    data = SimpleNamespace(**{**message, "X": rows, "y": y, "columns": columns})
    data.frame = lambda: importlib.import_module("pandas").DataFrame(columns, copy=True)
    return data


def _read_column(values: Any, about: Any) -> Any:
    """Numbers with NaN for none, whole numbers and truth values if none may be missing, objects otherwise."""
    if about["type"] == "number":
        values = [math.nan if value is None else float(value) for value in values]
    if np is None:
        return tuple(values)
    plain: Any = {"number": float} if about["missing"] else {"number": float, "integer": "int64", "boolean": bool}
    found = np.empty(len(values), dtype=plain.get(about["type"], object))
    found[:] = values
    found.flags.writeable = False
    return found


def to_plain(value: Any) -> Any:
    """An output as JSON has it: NaN and infinities become texts, arrays lists, fitted objects their attributes.

    >>> to_plain({"mean": float("nan"), "keys": {2, 1}, "z": 1 + 2j})
    {'mean': 'NaN', 'keys': [1, 2], 'z': [1.0, 2.0]}
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _NAMES.get(value, "NaN")
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [to_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): to_plain(one) for name, one in value.items()}
    return to_plain(_unfold(value))


def _unfold(value: Any) -> Any:
    """One step from any other object towards lists, dicts and numbers."""
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if hasattr(value, "tolist"):  # arrays and tensors
        return value.tolist()
    if hasattr(value, "to_dict") and hasattr(value, "columns"):  # tables
        return {name: list(value[name]) for name in value.columns}
    if hasattr(value, "state_dict"):  # torch modules
        return dict(value.state_dict())
    if hasattr(value, "children_left"):  # trees of scikit-learn
        return {name: getattr(value, name) for name in _TREE}
    if hasattr(value, "__float__"):  # Decimal, Fraction
        return float(value)
    attributes = getattr(value, "__dict__", {})
    found = {name: one for name, one in attributes.items() if name.endswith("_") and not name.startswith("_")}
    found.pop("estimator_", None)  # of an ensemble: what its members are copies of
    if not found:
        raise TypeError(f"an output must be numbers, texts, lists or tables of them, got {type(value).__name__}")
    return found


def _describe(learner: Any) -> Any:
    """What a learner says of itself."""
    owner = learner if isinstance(learner, type) or hasattr(learner, "__name__") else type(learner)
    module = sys.modules.get(getattr(owner, "__module__", None) or "")
    found = {"name": getattr(owner, "__name__", type(learner).__name__)}
    version = getattr(module, "__version__", None)
    if isinstance(version, str):
        found["version"] = version
    for name in ("bounds", "norm", "types", "labels"):
        if hasattr(learner, name):
            found[name] = to_plain(getattr(learner, name))
    return found


def _take_pipes() -> Any:
    """Keep the pipes for the protocol: what the learner prints goes to standard error, and it reads nothing."""
    source = os.fdopen(os.dup(0), "r", encoding="utf-8")
    sink = os.fdopen(os.dup(1), "w", encoding="ascii")
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return source, sink


def _write(sink: Any, message: Any) -> None:
    sink.write(json.dumps(message, allow_nan=False) + "\n")


def load(text: str) -> Any:
    """The object that a text names: `my_file.py:learner` or `package.module:learner`."""
    source, _, name = text.rpartition(":")
    if source.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(source)))
        spec = importlib.util.spec_from_file_location("learner_" + os.path.basename(source)[:-3], source)
        if spec is None or spec.loader is None:
            raise SystemExit(f"mlaudit_serve: {source} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(source)
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


if __name__ == "__main__":
    if len(sys.argv) != 2 or ":" not in sys.argv[1]:
        raise SystemExit("usage: python mlaudit_serve.py my_file.py:learner")
    serve(load(sys.argv[1]))
