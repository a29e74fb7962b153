"""A catalogue of Tumult Core, which needs an environment of its own; TUMULT_PYTHON names its Python.

TUMULT_PYTHON=tumult_env/bin/python mlaudit library examples/other_languages/tumult/catalogue.py:tumult_core
"""

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mlaudit import Box, Dataset
from mlaudit.adapters.helpers import find_helper
from mlaudit.adapters.program import Program
from mlaudit.library import Item

_MEASUREMENTS = Path(__file__).with_name("measurements.py")
_DATA = Dataset(np.linspace(0.0, 1.0, 11)[:, None], domain=Box([0.0], [1.0]), name="eleven numbers")
_NAMES = (
    "laplace",
    "geometric",
    "discrete_gaussian",
    "gaussian",
    "composition",
    "pure_to_concentrated",
    "histogram",
    "median",
)


def tumult_core() -> Iterator[Item]:
    """Every measurement of Tumult Core that needs no Spark. Each states its own claim."""
    for name in _NAMES:
        yield Item(name, serve(name), data=_DATA)


def serve(name: str) -> Program:
    """The measurement of that name, in the Python that TUMULT_PYTHON names."""
    python = os.environ.get("TUMULT_PYTHON", sys.executable)
    return Program(shlex.join([python, str(_MEASUREMENTS), str(find_helper("python")), name]))
