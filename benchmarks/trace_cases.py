"""The learners that `trace_libraries.py` traces: diffprivlib, Opacus, OpenDP and the examples."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from mlaudit import Box, Claim, Dataset, L2Ball, Pair, Relation
from mlaudit.naming.plugins import load_shipped
from mlaudit.types.edits import add_rows

DIMENSIONS = (1, 2, 10, 30, 100)
BOUNDS = ((0.0, 1.0), (-1.0, 1.0), (5.0, 6.0))  # two contain zero
NORMS = (1.0, 10.0, 100.0)
RELATIONS = (Relation.REPLACE_ONE, Relation.ADD_REMOVE)
ROWS = 40
EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True)
class Case:
    """A learner with its settings in words, the data or the pair, and the claim."""

    library: str
    name: str
    settings: str
    make: Callable[[], Any]
    data: Dataset | None
    claim: Claim
    pair: Pair | None = None
    trainings: int = 2000

    @property
    def key(self) -> str:
        """What tells the cases apart."""
        return f"{self.library}/{self.name}/{self.settings}/{self.claim.relation.value}"


def rows_in_box(columns: int, low: float, high: float) -> Dataset:
    """Forty labelled rows in a box."""
    X = default_rng(columns).uniform(low, high, (ROWS, columns))
    return Dataset(X, np.arange(ROWS) % 2, domain=Box([low] * columns, [high] * columns, labels=(0, 1)))


def rows_in_ball(columns: int, norm: float) -> Dataset:
    """Forty labelled rows in a ball around zero."""
    X = default_rng(columns).normal(size=(ROWS, columns))
    X *= norm * default_rng(1).random((ROWS, 1)) / np.linalg.norm(X, axis=1, keepdims=True)
    return Dataset(X, np.arange(ROWS) % 2, domain=L2Ball(norm, labels=(0, 1)))


def list_models() -> Iterator[Case]:
    """Every model of diffprivlib."""
    for columns in DIMENSIONS:
        for relation in RELATIONS:
            claim = Claim(1.0, relation=relation)
            for low, high in BOUNDS:
                yield from _boxed_models(columns, low, high, claim)
            for norm in NORMS:
                yield from _normed_models(columns, norm, claim)


def _boxed_models(columns: int, low: float, high: float, claim: Claim) -> Iterator[Case]:
    from diffprivlib import models

    data = rows_in_box(columns, low, high)
    box = (np.full(columns, low), np.full(columns, high))
    said = f"d = {columns}, bounds [{low:g}, {high:g}]"
    made: dict[str, Callable[[], Any]] = {
        "GaussianNB": lambda: models.GaussianNB(bounds=box),
        "StandardScaler": lambda: models.StandardScaler(bounds=box),
        "KMeans": lambda: models.KMeans(2, bounds=box),
        "DecisionTreeClassifier": lambda: models.DecisionTreeClassifier(max_depth=3, bounds=box, classes=[0, 1]),
        "RandomForestClassifier": lambda: models.RandomForestClassifier(3, max_depth=3, bounds=box, classes=[0, 1]),
    }
    for name, make in made.items():
        plain = data if name not in ("StandardScaler", "KMeans") else _unlabelled(columns, low, high)
        yield Case("diffprivlib", name, said, make, plain, claim)
    for intercept in (True, False):
        words = f"{said}, {'with' if intercept else 'without'} intercept"
        yield Case(
            "diffprivlib",
            "LinearRegression",
            words,
            partial(models.LinearRegression, bounds_X=box, bounds_y=(0.0, 1.0), fit_intercept=intercept),
            data,
            claim,
            trainings=400 if columns > 2 else 2000,
        )


def _normed_models(columns: int, norm: float, claim: Claim) -> Iterator[Case]:
    from diffprivlib import models

    data = rows_in_ball(columns, norm)
    said = f"d = {columns}, norm {norm:g}"
    box = (np.full(columns, -norm), np.full(columns, norm))
    unlabelled = Dataset(data.X, domain=L2Ball(norm))
    for centred in (True, False):
        words = f"{said}, {'centred' if centred else 'not centred'}"
        make = lambda centred=centred: models.PCA(1, bounds=box, data_norm=norm, centered=not centred)  # noqa: E731
        yield Case("diffprivlib", "PCA", words, make, unlabelled, claim)
    for intercept in (True, False):
        words = f"{said}, {'with' if intercept else 'without'} intercept"
        make = lambda intercept=intercept: models.LogisticRegression(data_norm=norm, fit_intercept=intercept)  # noqa: E731
        yield Case("diffprivlib", "LogisticRegression", words, make, data, claim)


def list_tools() -> Iterator[Case]:
    """Every tool of diffprivlib."""
    from diffprivlib import tools

    for relation in RELATIONS:
        claim = Claim(1.0, relation=relation)
        for low, high in BOUNDS:
            for columns in DIMENSIONS:
                data = _unlabelled(columns, low, high)
                said = f"d = {columns}, bounds [{low:g}, {high:g}]"
                for name in ("mean", "var", "std", "sum", "nanmean", "nanvar", "nanstd", "nansum"):
                    asked = {"bounds": (np.full(columns, low), np.full(columns, high)), "axis": 0}
                    yield Case("diffprivlib", f"tools.{name}", said, _tool(getattr(tools, name), asked), data, claim)
            data, said = _unlabelled(1, low, high), f"d = 1, bounds [{low:g}, {high:g}]"
            for name, more in (("quantile", (0.25,)), ("percentile", (75,)), ("median", ())):
                make = _tool(getattr(tools, name), {"bounds": (low, high)}, *more, flat=True)
                yield Case("diffprivlib", f"tools.{name}", said, make, data, claim)
            ranged = {"bins": 4, "range": (low, high)}
            yield Case("diffprivlib", "tools.histogram", said, _tool(tools.histogram, ranged, flat=True), data, claim)
            for columns in (1, 2):
                ranged = {"bins": 2, "range": [(low, high)] * columns}
                make = _tool(tools.histogramdd, ranged)
                words = f"d = {columns}, bounds [{low:g}, {high:g}]"
                yield Case("diffprivlib", "tools.histogramdd", words, make, _unlabelled(columns, low, high), claim)
        yield Case("diffprivlib", "tools.count_nonzero", "d = 1", _tool(_count, {}), _unlabelled(1, 0.0, 1.0), claim)


def _count(X: Any, **settings: Any) -> Any:
    from diffprivlib import tools

    return tools.count_nonzero(X[:, 0] > 0.5, **settings)


def _unlabelled(columns: int, low: float, high: float) -> Dataset:
    data = rows_in_box(columns, low, high)
    return Dataset(data.X, domain=Box([low] * columns, [high] * columns))


def _tool(call: Callable[..., Any], settings: dict[str, Any], *more: Any, flat: bool = False) -> Callable[[], Any]:
    def release(data: Dataset, rng: Generator) -> Any:
        X = data.X[:, 0] if flat else data.X
        found = call(X, *more, epsilon=1.0, random_state=int(rng.integers(2**31)), **settings)
        return np.ravel(found[0] if isinstance(found, tuple) else found)

    return lambda: release


def list_mechanisms() -> Iterator[Case]:
    """Every mechanism of diffprivlib, around a sum, a count, a choice or a matrix."""
    for item in load_shipped("catalogues", "diffprivlib")():
        if item.name.startswith("mechanisms."):
            for relation in RELATIONS:
                claim = Claim(item.claim.epsilon, item.claim.delta, relation)
                yield Case("diffprivlib", item.name, "six bits", partial(getattr, item, "learner"), item.data, claim)


def list_opacus() -> Iterator[Case]:
    """PrivacyEngine.make_private, with its clippings, accountants and kinds of batches."""
    import opacus_case

    for name, rows, settings in opacus_case.SETTINGS:
        data = Dataset(default_rng(0).normal(size=(rows, 3)), np.arange(rows) % 2)
        more = add_rows(data, rows, np.full(3, 5.0), 1)
        claim = Claim(opacus_case.claimed(rows, settings), opacus_case.DELTA, Relation.ADD_REMOVE)
        make = lambda settings=settings: opacus_case.learner(**settings)  # noqa: E731
        yield Case("Opacus", "PrivacyEngine", f"{name}, {rows} rows", make, None, claim, Pair(data, more), 400)


def list_opendp() -> Iterator[Case]:
    """OpenDP's constructors."""
    import opendp_case

    for name, make, claim, pair in opendp_case.cases():
        yield Case("OpenDP", name, "", make, None, claim, pair, 4000)


def list_examples() -> Iterator[Case]:
    """The examples of this repository."""
    from mlaudit.naming.plugins import load

    def example(text: str) -> Any:
        return load("mechanisms", f"{EXAMPLES}/{text}")

    pair = load("pairs", f"{EXAMPLES}/my_mechanism.py:one_more_smoker")
    yield Case("examples", "noisy_count", "", lambda: example("my_mechanism.py:noisy_count"), None, Claim(1.0), pair)
    for text, columns in (
        ("my_histogram.py:NoisyHistogram", 1),
        ("my_learner.py:NoisyMeans", 4),
        ("diffprivlib_naive_bayes.py:naive_bayes", 4),
    ):
        make = lambda text=text: example(text)(1.0)  # noqa: E731
        yield Case("examples", text.split(":")[1], "", make, rows_in_box(columns, 0.0, 1.0), Claim(1.0))
    network = lambda: example("my_network.py:my_network")(4.0)  # noqa: E731
    data = rows_in_box(30, 0.0, 1.0)
    claim = Claim(4.0, 1e-5, Relation.ADD_REMOVE)
    yield Case("examples", "my_network", "", network, None, claim, Pair(data, add_rows(data, 0, np.ones(30), 1)), 100)


GROUPS: dict[str, Callable[[], Iterator[Case]]] = {
    "mechanisms": list_mechanisms,
    "tools": list_tools,
    "models": list_models,
    "opacus": list_opacus,
    "opendp": list_opendp,
    "examples": list_examples,
}
