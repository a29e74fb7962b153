"""A catalogue of dp-xgboost, which needs an environment of its own. The environment variables name what it runs with.

cc -shared -fPIC -o clock.so examples/other_languages/dp_xgboost/clock.c
DP_XGBOOST_PYTHON=env/bin/python CLOCK=$PWD/clock.so \
    mlaudit library examples/other_languages/dp_xgboost/catalogue.py:dp_xgboost
"""

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mlaudit import Box, Claim, Dataset, Pair, Relation
from mlaudit.adapters.helpers import find_helper
from mlaudit.adapters.program import Program
from mlaudit.library import Item

_MODELS = Path(__file__).with_name("models.py")
_BOX = Box([0.0], [1.0])
_CLAIM = Claim(1.0, relation=Relation.ADD_REMOVE)


def make_pair(rows: int) -> Pair:
    """Rows at 0.2 and 0.8 in turn, most of them labelled 0 and 1; one more joins them at 0.8."""
    X, y = np.resize([[0.2], [0.8]], (rows, 1)), np.resize([0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0], rows)
    return _add_row(X, y, 0.8, 1.0)


def make_alike(rows: int) -> Pair:
    """Rows at one place with one label; one more joins them there with the opposite label."""
    return _add_row(np.full((rows, 1), 0.5), np.full(rows, -0.99), 0.5, 0.99)


def _add_row(X: Any, y: Any, place: float, label: float) -> Pair:
    without = Dataset(X, y, domain=_BOX, name=f"{len(X)} rows")
    return Pair(without, Dataset(np.vstack([X, [[place]]]), np.append(y, label), domain=_BOX))


def dp_xgboost() -> Iterator[Item]:
    """Trees of one and of three levels, two trees of one second, and trees on a sample of the rows.

    The claim is the formula of the library's README: n ln(1 + γ(e^ε − 1)) for n trees of ε on a share γ of the rows.
    The last row of the last pair is one that the library samples where no seed is given.
    """
    yield _item("one tree", "one_tree", make_pair(61))
    yield _item("one tree, 39 rows and one more", "one_tree", make_pair(39))
    yield _item("deep tree", "deep_tree", make_pair(61))
    yield _item("two trees of one second", "two_trees", make_alike(20))
    yield _item("two rows in a thousand", "sampled_rows", make_alike(10_622))
    yield _item("two rows in a thousand, no seed given", "sampled_rows_without_seed", make_alike(10_622))


def serve(model: str) -> Program:
    """The model, in the Python that DP_XGBOOST_PYTHON names, with the clock of CLOCK if it is given."""
    python, clock = os.environ.get("DP_XGBOOST_PYTHON", sys.executable), os.environ.get("CLOCK")
    preload = ["env", f"LD_PRELOAD={clock}"] if clock else []
    return Program(shlex.join([*preload, python, str(find_helper("python")), f"{_MODELS}:{model}"]), _CLAIM)


def _item(name: str, model: str, pair: Pair) -> Item:
    return Item(name, serve(model), _CLAIM, pair=pair)
