"""Generators of synthetic tables, each returning the share of every kind of row in the table that it generates.

Served by `mlaudit_serve.py` (`mlaudit helper python`) in the environment of the library. Rows have two columns of
zeros and ones, so there are four kinds. dpmm is told this domain, so that it takes none from the rows.
"""

from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np

_COLUMNS = ("a", "b")
_RECORDS = 500  # of a generated table: so many that sampling hides little of the fitted model
_STEPS = 20  # of an optimiser that sees noisy numbers only: fewer steps are post-processing


def histogram(X: Any, epsilon: float, rng: Any) -> Any:
    """Not of a library: noisy counts, then rows drawn from them. A row added or removed moves one count by one."""
    counts = count_cells(X) + rng.laplace(scale=1 / epsilon, size=4)
    shares = np.maximum(counts, 0) + 1e-9
    return rng.multinomial(_RECORDS, shares / shares.sum()) / _RECORDS


def dpmm_mst(X: Any, epsilon: float, delta: float, random_state: int) -> Any:
    """MST of dpmm on the kinds of rows as one column: of two columns, a fit takes 12 CPU seconds."""
    from dpmm.models.mst import MSTGM  # noqa: PLC0415 - only the environment of the library has it

    model = _make(MSTGM, epsilon, delta)
    table = as_table(X)
    generated = _generate(model, (2 * table["a"] + table["b"]).to_frame("kind"), {"kind": 4}, random_state)
    return np.bincount(generated["kind"].to_numpy(dtype=int), minlength=4) / _RECORDS


def dpmm_priv_bayes(X: Any, epsilon: float, delta: float, random_state: int) -> Any:
    """PrivBayes of dpmm."""
    from dpmm.models.priv_bayes import PrivBayesGM  # noqa: PLC0415 - only the environment of the library has it

    model = _make(PrivBayesGM, epsilon, delta)
    generated = _generate(model, as_table(X), dict.fromkeys(_COLUMNS, 2), random_state)
    return count_cells(generated[list(_COLUMNS)].to_numpy()) / _RECORDS


@cache
def _make(kind: Any, epsilon: float, delta: float) -> Any:
    """A model before its fit; each training fits a copy. To compute its ρ takes ten times as long as a fit."""
    return kind(epsilon=epsilon, delta=delta, n_iters=_STEPS, n_jobs=1)


def _generate(model: Any, table: Any, domain: Any, random_state: int) -> Any:
    model = deepcopy(model)
    model.set_random_state(np.random.RandomState(random_state))
    model.set_domain(domain)
    model.fit(table)
    return model.generate(n_records=_RECORDS)


def smartnoise_mwem(X: Any, epsilon: float) -> Any:
    """MWEM of smartnoise-synth. Its columns are categories already, so nothing is spent on bounds."""
    made = _fit_mwem(X, epsilon, iterations=2, q_count=8)
    return count_cells(np.asarray(made.sample(_RECORDS), dtype=float)) / _RECORDS


def smartnoise_mwem_spending(X: Any, epsilon: float) -> Any:
    """How often MWEM spent some of its budget, if the number of iterations is left to the library."""
    return len(_fit_mwem(X, epsilon).accountant)


def _fit_mwem(X: Any, epsilon: float, **options: Any) -> Any:
    from snsynth import Synthesizer  # noqa: PLC0415 - only the environment of the library has it

    made = Synthesizer.create("mwem", epsilon=epsilon, mult_weights_iterations=5, **options)
    made.fit(as_table(X), categorical_columns=list(_COLUMNS), preprocessor_eps=0.0)
    return made


def as_table(X: Any) -> Any:
    """The rows as a table of pandas; values are rounded to 0 or 1."""
    import pandas as pd  # noqa: PLC0415 - only the environment of the library has it

    return pd.DataFrame((np.asarray(X) > 0.5).astype(int), columns=list(_COLUMNS))


def count_cells(rows: Any) -> Any:
    """How many rows there are of each of the four kinds 00, 01, 10 and 11."""
    bits = (np.asarray(rows) > 0.5).astype(int)
    return np.bincount(2 * bits[:, 0] + bits[:, 1], minlength=4).astype(float)


_GENERATORS: tuple[Any, ...] = (histogram, dpmm_mst, dpmm_priv_bayes, smartnoise_mwem, smartnoise_mwem_spending)
for _generator in _GENERATORS:
    _generator.bounds = ([0.0, 0.0], [1.0, 1.0])
