"""OpenDP's constructors as learners, for traces."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import opendp.prelude as dp
from numpy.random import Generator

from mlaudit import Claim, Dataset, Pair, Relation
from mlaudit.library.catalogues.opendp import ask_context, ask_twice

dp.enable_features("contrib", "honest-but-curious", "floating-point")
PAIR = Pair(Dataset([0.1, 0.5, 0.7]), Dataset([0.1, 0.5, 0.7, 1.0]))
ONE, WITH_DELTA = Claim(1.0, relation=Relation.ADD_REMOVE), Claim(1.0, 1e-3, Relation.ADD_REMOVE)
NUMBERS = dp.vector_domain(dp.atom_domain(bounds=(0.0, 1.0), nan=False)), dp.symmetric_distance()
ATOM = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)


def column(data: Dataset) -> list[float]:
    """The values."""
    return [float(value) for value in data.X[:, 0]]


def _names(data: Dataset) -> list[str]:
    return ["high" if value > 0.5 else "low" for value in data.X[:, 0]]


def _around(measurement: Any, read: Callable[[Dataset], Any]) -> Callable[[], Any]:
    def release(data: Dataset, _rng: Generator) -> Any:
        found = measurement(read(data))
        return found if isinstance(found, int | float | list) else float(hash(str(found)) % 1000)

    return lambda: release


def _total(data: Dataset) -> float:
    return float(data.X.sum())


def _counts(data: Dataset) -> list[int]:
    return [int((data.X <= 0.5).sum()), int((data.X > 0.5).sum())]


def cases() -> Iterator[tuple[str, Callable[[], Any], Claim, Pair]]:
    """Name, learner, claim and pair."""
    m, t, c = dp.m, dp.t, dp.c
    total = NUMBERS >> t.then_sum()
    names = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    by_name = names >> t.then_count_by_categories(categories=["high", "low"], MO=dp.L1Distance[int])
    vector = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    laplace, gauss = total >> m.then_laplace(scale=1.0), total >> m.then_gaussian(scale=4.0)
    made: dict[str, tuple[Any, Callable[[Dataset], Any], Claim]] = {
        "sum >> then_laplace": (laplace, column, ONE),
        "make_laplace on a number": (m.make_laplace(*ATOM, scale=1.0), _total, ONE),
        "sum >> then_gaussian (zCDP)": (gauss, column, WITH_DELTA),
        "make_zCDP_to_approxDP, make_fix_delta": (
            c.make_fix_delta(c.make_zCDP_to_approxDP(gauss), 1e-3),
            column,
            WITH_DELTA,
        ),
        "count >> then_geometric": (NUMBERS >> t.then_count() >> m.then_geometric(scale=1.0), column, ONE),
        "count_by_categories >> then_laplace": (by_name >> m.then_laplace(scale=1.0), _names, ONE),
        "make_noisy_max": (
            m.make_noisy_max(*vector, dp.max_divergence(), scale=2.0),
            _counts,
            ONE,
        ),
        "make_noisy_top_k": (m.make_noisy_top_k(*vector, dp.max_divergence(), k=1, scale=2.0), _counts, ONE),
        "make_randomized_response_bool": (
            m.make_randomized_response_bool(prob=0.73),
            lambda data: bool(len(data) > 3),
            ONE,
        ),
        "make_private_quantile": (
            m.make_private_quantile(*NUMBERS, dp.max_divergence(), candidates=[0.0, 0.5, 1.0], alpha=0.5, scale=1.0),
            column,
            ONE,
        ),
        "make_canonical_noise": (m.make_canonical_noise(*ATOM, d_in=1.0, d_out=(1.0, 1e-3)), _total, WITH_DELTA),
        "make_composition of two": (c.make_composition([total >> m.then_laplace(scale=2.0)] * 2), column, ONE),
    }
    for name, (measurement, read, claim) in made.items():
        yield name, _around(measurement, read), claim, PAIR
    yield "make_adaptive_composition", lambda: ask_twice, ONE, PAIR
    yield "Context.compositor", lambda: ask_context, ONE, PAIR
    yield "sum called twice (a mistake)", lambda: _call_twice, ONE, PAIR
    yield "mean with the exact count (a mistake)", lambda: _exact_count, ONE, PAIR


def _call_twice(data: Dataset, _rng: Generator) -> Any:
    release = NUMBERS >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0)
    return [release(column(data)), release(column(data))]


def _exact_count(data: Dataset, _rng: Generator) -> Any:
    release = NUMBERS >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0)
    return np.float64(release(column(data))) / len(data)
