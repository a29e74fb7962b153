"""The catalogues that mlaudit ships: every item trains, and says what it claims."""

import gc
import subprocess
import sys

import pytest
from numpy.random import SeedSequence

from mlaudit.adapters.convert import as_mechanism
from mlaudit.library.item import read_items
from mlaudit.naming.plugins import load_shipped

OPACUS_WARNS = pytest.mark.filterwarnings("ignore")  # of its random numbers and of hooks
OPTAX_WARNS = pytest.mark.filterwarnings("ignore:optax:DeprecationWarning")  # of what JAX Privacy calls
SNSQL_WARNS = pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")  # of Python 3.13

EACH_ALONE = """
import os
from mlaudit.adapters.convert import as_mechanism
from mlaudit.library.catalogues.opendp import opendp

items = list(opendp())
for item in items:
    child = os.fork()
    if child == 0:
        as_mechanism(item.learner, item.claim).claim
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, item.name
print(len(items))
"""


@pytest.mark.parametrize(
    ("name", "least"),
    [
        pytest.param("diffprivlib", 50, marks=pytest.mark.extra("diffprivlib")),
        pytest.param("opendp", 20, marks=pytest.mark.extra("opendp")),
        pytest.param("opacus", 11, marks=[pytest.mark.extra("dpsgd"), pytest.mark.slow, OPACUS_WARNS]),
        pytest.param("python_dp", 19, marks=pytest.mark.extra("google")),
        pytest.param("pipeline_dp", 14, marks=pytest.mark.extra("google")),
        pytest.param("jax_privacy", 9, marks=[pytest.mark.extra("jax"), pytest.mark.slow, OPTAX_WARNS]),
        pytest.param("pure_ldp", 19, marks=pytest.mark.extra("pureldp")),
        pytest.param("multi_freq_ldpy", 32, marks=[pytest.mark.extra("multildp"), pytest.mark.slow]),
        pytest.param("smartnoise_sql", 12, marks=[pytest.mark.extra("smartnoise"), pytest.mark.slow, SNSQL_WARNS]),
    ],
)
def test_every_item_trains_and_has_a_claim(name: str, least: int) -> None:
    items = read_items(load_shipped("catalogues", name), name)
    assert len(items) >= least
    for item in items:
        learner = as_mechanism(item.learner, item.claim)
        assert 0 < learner.claim.epsilon < 4, item.name
        data = item.data if item.pair is None else item.pair.base
        assert data is not None
        if name != "diffprivlib":  # which needs the adapter's own observation, which its tests cover
            assert learner.fit(data, SeedSequence(0)) is not None, item.name
    gc.collect()  # what a library left open is told here, where it may be


@pytest.mark.slow
@pytest.mark.extra("opendp")
def test_every_item_of_opendp_can_be_tested_alone() -> None:
    """What one item needs must not come from the items before it: each is made in a fork of a fresh process."""
    done = subprocess.run([sys.executable, "-c", EACH_ALONE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "23\n"), done.stderr
