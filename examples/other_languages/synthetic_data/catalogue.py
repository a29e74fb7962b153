"""Catalogues of synthetic data generators in environments of their own. The environment variable names the Python.

GENERATORS_PYTHON=dpmm_env/bin/python mlaudit library examples/other_languages/synthetic_data/catalogue.py:dpmm
"""

import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mlaudit import Box, Claim, Dataset, Pair, Relation
from mlaudit.adapters.helpers import find_helper
from mlaudit.adapters.program import Program
from mlaudit.library import Item

_GENERATORS = Path(__file__).with_name("generators.py")
_TRAININGS = 400
_BOX = Box([0.0, 0.0], [1.0, 1.0])
_ROWS = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]], 3, axis=0)


def make_pair() -> Pair:
    """A row of a kind that is not there yet joins nine others: the counts that it moves are zero without it."""
    without = Dataset(_ROWS, domain=_BOX, name="nine rows of three kinds")
    return Pair(without, Dataset(np.vstack([_ROWS, [[1.0, 1.0]]]), domain=_BOX))


def serve(generator: str, claim: Claim) -> Program:
    """The generator, in the Python that GENERATORS_PYTHON names; without it, in this one."""
    python = os.environ.get("GENERATORS_PYTHON", sys.executable)
    served = [python, str(find_helper("python")), f"{_GENERATORS}:{generator}"]
    return Program(shlex.join(served), claim)


def dpmm() -> Iterator[Item]:
    """dpmm: ε and δ are its own parameters. Its noise is made for a row added or removed."""
    claim = Claim(1.0, 1e-3, Relation.ADD_REMOVE)
    yield _item("dpmm MST", "dpmm_mst", claim)
    yield _item("dpmm PrivBayes", "dpmm_priv_bayes", claim)


def smartnoise_synth() -> Iterator[Item]:
    """smartnoise-synth: MWEM is ε-DP. Its second item looks at the list of what it spent, which the model keeps."""
    claim = Claim(1.0, relation=Relation.ADD_REMOVE)
    yield _item("smartnoise-synth MWEM", "smartnoise_mwem", claim, trainings=1000)
    ten, eleven = (Dataset(np.vstack([_ROWS, [[1.0, 1.0]] * n]), domain=_BOX) for n in (1, 2))
    yield _item("smartnoise-synth MWEM, number of spendings", "smartnoise_mwem_spending", claim, Pair(ten, eleven))


def without_library() -> Iterator[Item]:
    """A generator that needs numpy only."""
    yield _item("histogram", "histogram", Claim(1.0, relation=Relation.ADD_REMOVE))


def _item(name: str, generator: str, claim: Claim, pair: Pair | None = None, trainings: int = _TRAININGS) -> Item:
    return Item(name, serve(generator, claim), claim, pair=pair or make_pair(), trainings=trainings)
