"""SmartNoise SQL: queries of a table in memory, with the cost that its reader states, and its mechanisms."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import ADDED
from mlaudit.library.item import Item
from mlaudit.refuting.whole_numbers import WholeNumbers
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

try:
    import pandas as pd
    from snsql import Privacy, from_df
    from snsql.sql._mechanisms import Gaussian, Laplace
    from snsql.sql._mechanisms.approx_bounds import approx_bounds
except ImportError:
    raise MissingExtra("snsql", "smartnoise") from None

_EPSILON, _DELTA = 1.0, 1e-3
_TRAININGS = 100  # one takes 30 to 270 milliseconds
# Groups of few rows are not shown.
_ZEROS = Dataset(np.zeros((60, 2)), domain=WholeNumbers([0, 0], [1, 1]), name="sixty rows of zeros")
# A row with the greatest value joins; it is the only one of its kind.
_JOINED = Pair(_ZEROS, _ZEROS.with_rows(np.vstack([_ZEROS.X, np.ones((1, 2))])))
_NUMBER = {"type": "float", "lower": 0.0, "upper": 1.0}
_TABLE = {"": {"s": {"t": {"row_privacy": True, "value": _NUMBER, "kind": {"type": "int", "lower": 0, "upper": 1}}}}}
# How many statistics each query pays for: all of them together get ε.
_QUERIES = {
    "SELECT COUNT(*) FROM s.t": 1,
    "SELECT COUNT(value) FROM s.t": 2,
    "SELECT COUNT(DISTINCT kind) FROM s.t": 2,
    "SELECT SUM(value) FROM s.t": 2,
    "SELECT AVG(value) FROM s.t": 3,
    "SELECT VAR(value) FROM s.t": 4,
    "SELECT COUNT(*), SUM(value) FROM s.t": 2,
    "SELECT kind, COUNT(*) FROM s.t GROUP BY kind": 1,
    "SELECT kind, SUM(value) FROM s.t GROUP BY kind": 2,
}


def smartnoise_sql() -> Iterator[Item]:
    """Queries of SmartNoise SQL, and the mechanisms behind them.

    >>> len(list(smartnoise_sql()))
    12
    """
    for query, statistics in _QUERIES.items():
        cost = _reader(_ZEROS, statistics).get_privacy_cost(query)
        claim = Claim(float(cost[0]), float(cost[1]), Relation.ADD_REMOVE)
        yield _item(query, partial(_ask, query, statistics), claim)
    yield _item("Laplace", _laplace, ADDED)
    yield _item("Gaussian", _gaussian, Claim(_EPSILON, _DELTA, Relation.ADD_REMOVE))
    yield _item("approx_bounds", _bounds, ADDED)


def _item(name: str, learner: Any, claim: Claim) -> Item:
    return Item(name, learner, claim, pair=_JOINED, trainings=_TRAININGS)


def _ask(query: str, statistics: int, data: Dataset, _rng: Generator) -> dict[str, Any]:
    """The rows of the answer; by their kind where the query groups by it."""
    _, *rows = _reader(data, statistics).execute(query)
    return {str(row[:-1]) if "GROUP BY" in query else "": list(row) for row in rows}


def _reader(data: Dataset, statistics: int) -> Any:
    privacy = Privacy(epsilon=_EPSILON / statistics, delta=_DELTA)
    table = pd.DataFrame({"value": data.X[:, 0], "kind": data.X[:, 1].astype(int)})
    return from_df(table, privacy=privacy, metadata=_TABLE)


def _laplace(data: Dataset, _rng: Generator) -> float:
    return float(Laplace(_EPSILON, lower=0, upper=1).release([data.X[:, 0].sum()])[0])


def _gaussian(data: Dataset, _rng: Generator) -> float:
    return float(Gaussian(_EPSILON, delta=_DELTA, lower=0, upper=1).release([data.X[:, 0].sum()])[0])


def _bounds(data: Dataset, _rng: Generator) -> list[Any]:
    return list(approx_bounds(data.X[:, 0], _EPSILON))
