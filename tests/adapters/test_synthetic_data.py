"""The example of generators in an environment of their own: served here with what is installed."""

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from mlaudit import Claim, Relation
from mlaudit.drawing.stream import TrainingStream
from mlaudit.library import Item, audit_library
from mlaudit.naming.plugins import load

FOLDER = Path(__file__).parents[2] / "examples" / "other_languages" / "synthetic_data"
CLAIM = Claim(1.0, 1e-3, Relation.ADD_REMOVE)


def call(name: str) -> object:
    return load("catalogues", f"{FOLDER / 'catalogue.py'}:{name}")


def test_the_pair_is_a_row_more() -> None:
    pair = call("make_pair")()  # type: ignore[operator]
    assert (len(pair.base), len(pair.neighbour)) == (9, 10)
    assert pair.relation is Relation.ADD_REMOVE


@pytest.mark.parametrize(
    ("generator", "needed"),
    [
        ("histogram", "numpy"),
        ("dpmm_mst", "dpmm"),
        ("dpmm_priv_bayes", "dpmm"),
        ("smartnoise_mwem", "snsynth"),
    ],
)
def test_a_generator_answers_with_shares(generator: str, needed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    monkeypatch.setenv("GENERATORS_PYTHON", sys.executable)
    served = call("serve")(generator, CLAIM)  # type: ignore[operator]
    pair = call("make_pair")()  # type: ignore[operator]
    shares = TrainingStream(served, pair.base, None, seed=1).draw(0, 3).z
    assert shares.shape == (3, 4)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert len(np.unique(shares, axis=0)) == 3


@pytest.mark.slow
def test_the_catalogue_is_audited_through_the_protocol() -> None:
    items = list(call("without_library")())  # type: ignore[operator]
    assert [type(one) for one in items] == [Item]
    # Fails for a correct program with probability < 1e-6: the α.
    result = audit_library(items, effort="smoke", alpha=1e-6)
    assert result.verdicts in ({"not_refuted": 1}, {"inconclusive": 1})
