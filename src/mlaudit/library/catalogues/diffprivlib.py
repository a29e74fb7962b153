"""diffprivlib: every mechanism, tool and model, as a user calls it.

ε is 1 unless stated otherwise. Bounds, norms and classes are passed wherever the library takes them, unless the name
says otherwise. The relation is the one that the library's noise is made for.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import Generator

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import ADDED, BITS, LABELLED, POINTS, REPLACED, VALUES
from mlaudit.library.item import Item
from mlaudit.naming.clashes import refuse_clashing_versions
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset

try:
    from diffprivlib import mechanisms, models, tools
except ImportError:
    refuse_clashing_versions()
    raise MissingExtra("diffprivlib", "diffprivlib") from None

_BOUNDS = (np.zeros(2), np.ones(2))
_WITH_DELTA = Claim(1.0, 0.01)


def diffprivlib() -> Iterator[Item]:
    """Every mechanism, tool and model of diffprivlib.

    >>> len(list(diffprivlib()))
    52
    """
    refuse_clashing_versions()  # beside scikit-learn 1.8 the import succeeds, and the fit of some models fails
    yield from _list_mechanisms()
    yield from _list_tools()
    yield from _list_models()


def _item(name: str, learner: Any, data: Dataset, claim: Claim = REPLACED) -> Item:
    return Item(name, learner, claim, data)


def _query(
    make: Callable[..., Any], read: Callable[[Dataset], Any], **settings: Any
) -> Callable[[Dataset, Generator], Any]:
    """A mechanism of the library around a _number of the data."""

    def release(data: Dataset, rng: Generator) -> Any:
        return make(**settings, random_state=int(rng.integers(2**31))).randomise(read(data))

    return release


def _tool(call: Callable[..., Any], read: Callable[[Dataset], Any], *more: Any, **settings: Any) -> Any:
    """A tool of the library on the data."""

    def release(data: Dataset, rng: Generator) -> Any:
        found = call(read(data), *more, epsilon=1.0, random_state=int(rng.integers(2**31)), **settings)
        return found[0] if isinstance(found, tuple) else found

    return release


def _total(data: Dataset) -> float:
    """A sum of values in [0, 1]: sensitivity 1 if a row is replaced."""
    return float(data.X.sum())


def _number(data: Dataset) -> int:
    """A count of values above one half."""
    return int((data.X > 0.5).sum())


def _column(data: Dataset) -> Any:
    """The values."""
    return data.X[:, 0]


def _choose(make: Callable[..., Any]) -> Callable[[Dataset, Generator], float]:
    """The more frequent of three thirds of [0, 1], by a mechanism that chooses."""

    def release(data: Dataset, rng: Generator) -> float:
        counts = np.bincount(np.minimum((3 * data.X[:, 0]).astype(int), 2), minlength=3).astype(float)
        picked = make(
            epsilon=1.0,
            sensitivity=1,
            utility=counts.tolist(),
            candidates=[0, 1, 2],
            random_state=int(rng.integers(2**31)),
        )
        return float(picked.randomise())

    return release


def _flip(data: Dataset, rng: Generator) -> float:
    """The first bit by randomised response."""
    made = mechanisms.Binary(epsilon=1.0, value0="0", value1="1", random_state=int(rng.integers(2**31)))
    return float(made.randomise("1" if data.X[0, 0] > 0.5 else "0"))


def _direction(data: Dataset, rng: Generator) -> Any:
    """The first eigenvector of the second moments of rows in the unit ball."""
    rows = data.X / np.sqrt(2)
    made = mechanisms.Bingham(epsilon=1.0, sensitivity=1.0, random_state=int(rng.integers(2**31)))
    found = np.asarray(made.randomise(rows.T @ rows))
    return found * np.sign(found[0] or 1.0)  # a direction has no sign


def _planar_histogram(data: Dataset, rng: Generator) -> Any:
    """histogram2d with a range."""
    found = tools.histogram2d(
        data.X[:, 0], data.X[:, 1], epsilon=1.0, bins=2, range=[(0, 1), (0, 1)], random_state=int(rng.integers(2**31))
    )
    return found[0].ravel()


def _list_mechanisms() -> Iterator[Item]:
    """Every mechanism of the library that releases something of a dataset."""
    inside = {"lower": 0.0, "upper": 6.0}
    plain = {"epsilon": 1.0, "sensitivity": 1.0}
    yield _item("mechanisms.Laplace", _query(mechanisms.Laplace, _total, **plain), BITS)
    yield _item(
        "mechanisms.Laplace (δ)", _query(mechanisms.Laplace, _total, **plain, delta=0.01), BITS, Claim(1.0, 0.01)
    )
    yield _item("mechanisms.LaplaceTruncated", _query(mechanisms.LaplaceTruncated, _total, **plain, **inside), BITS)
    yield _item("mechanisms.LaplaceFolded", _query(mechanisms.LaplaceFolded, _total, **plain, **inside), BITS)
    yield _item(
        "mechanisms.LaplaceBoundedDomain", _query(mechanisms.LaplaceBoundedDomain, _total, **plain, **inside), BITS
    )
    noise = _query(mechanisms.LaplaceBoundedNoise, _total, **plain, delta=0.01)
    yield _item("mechanisms.LaplaceBoundedNoise", noise, BITS, _WITH_DELTA)
    for name in ("Gaussian", "GaussianAnalytic"):
        made = _query(getattr(mechanisms, name), _total, **plain, delta=0.01)
        yield _item(f"mechanisms.{name}", made, BITS, _WITH_DELTA)
    whole = {"epsilon": 1.0, "sensitivity": 1}
    made = _query(mechanisms.GaussianDiscrete, _number, **whole, delta=0.01)
    yield _item("mechanisms.GaussianDiscrete", made, BITS, _WITH_DELTA)
    yield _item("mechanisms.Geometric", _query(mechanisms.Geometric, _number, **whole), BITS)
    ends = {"lower": 0, "upper": 6}
    for name in ("GeometricTruncated", "GeometricFolded"):
        yield _item(f"mechanisms.{name}", _query(getattr(mechanisms, name), _number, **whole, **ends), BITS)
    yield _item("mechanisms.Staircase", _query(mechanisms.Staircase, _total, **plain), BITS)
    yield _item(
        "mechanisms.Uniform", _query(mechanisms.Uniform, _total, delta=0.1, sensitivity=1.0), BITS, Claim(0.01, 0.1)
    )
    yield _item("mechanisms.Snapping", _query(mechanisms.Snapping, _total, **plain, **inside), BITS)
    yield _item("mechanisms.Exponential", _choose(mechanisms.Exponential), BITS)
    yield _item("mechanisms.PermuteAndFlip", _choose(mechanisms.PermuteAndFlip), BITS)
    yield _item("mechanisms.Binary", _flip, BITS)
    yield _item("mechanisms.Bingham", _direction, POINTS)


def _list_tools() -> Iterator[Item]:
    """Every tool of the library."""
    unit = {"bounds": (0.0, 1.0)}
    for name in ("mean", "var", "std", "sum", "nanmean", "nanvar", "nanstd", "nansum"):
        yield _item(f"tools.{name}", _tool(getattr(tools, name), _column, **unit), VALUES)
    for name in ("mean", "sum"):
        yield _item(f"tools.{name} without bounds", _tool(getattr(tools, name), _column), VALUES)
    yield _item("tools.count_nonzero", _tool(tools.count_nonzero, lambda data: data.X[:, 0] > 0.5), BITS)
    yield _item("tools.quantile", _tool(tools.quantile, _column, 0.25, **unit), VALUES)
    yield _item("tools.percentile", _tool(tools.percentile, _column, 75, **unit), VALUES)
    yield _item("tools.median", _tool(tools.median, _column, **unit), VALUES)
    yield _item("tools.median without bounds", _tool(tools.median, _column), VALUES)
    yield _item("tools.histogram", _tool(tools.histogram, _column, bins=4, range=(0, 1)), VALUES, ADDED)
    yield _item("tools.histogram without range", _tool(tools.histogram, _column, bins=4), VALUES, ADDED)
    yield _item("tools.histogram2d", _planar_histogram, POINTS, ADDED)
    cube = _tool(tools.histogramdd, lambda data: data.X, bins=2, range=[(0, 1), (0, 1)])
    yield _item("tools.histogramdd", lambda data, rng: cube(data, rng).ravel(), POINTS, ADDED)


def _list_models() -> Iterator[Item]:
    """Every model of the library, with and without bounds."""
    yield _item("GaussianNB", models.GaussianNB(bounds=_BOUNDS), LABELLED)
    yield _item("GaussianNB without bounds", models.GaussianNB(), LABELLED)
    yield _item("LogisticRegression", models.LogisticRegression(data_norm=1.5), LABELLED)
    yield _item("LogisticRegression without norm", models.LogisticRegression(), LABELLED)
    yield _item("LinearRegression", models.LinearRegression(bounds_X=_BOUNDS, bounds_y=(0, 1)), LABELLED)
    yield _item("LinearRegression without bounds", models.LinearRegression(), LABELLED)
    forest = models.RandomForestClassifier(n_estimators=3, max_depth=3, bounds=_BOUNDS, classes=[0, 1])
    yield _item("RandomForestClassifier", forest, LABELLED, ADDED)
    careless = models.RandomForestClassifier(3, max_depth=3)
    yield _item("RandomForestClassifier without bounds", careless, LABELLED, ADDED)
    tree = models.DecisionTreeClassifier(max_depth=3, bounds=_BOUNDS, classes=[0, 1])
    yield _item("DecisionTreeClassifier", tree, LABELLED, ADDED)
    yield _item("KMeans", models.KMeans(2, bounds=_BOUNDS), POINTS, ADDED)
    yield _item("PCA", models.PCA(1, bounds=_BOUNDS, data_norm=1.5), POINTS)
    yield _item("PCA without bounds", models.PCA(1), POINTS)
    yield _item("StandardScaler", models.StandardScaler(bounds=_BOUNDS), POINTS)
    yield _item("StandardScaler without bounds", models.StandardScaler(), POINTS)
