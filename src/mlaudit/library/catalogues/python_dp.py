"""PyDP (python-dp), Google's differential privacy library in Python: algorithms, mechanisms, partitions."""

from collections.abc import Iterator
from functools import partial

from numpy.random import Generator, default_rng

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import ADDED, BITS, VALUES
from mlaudit.library.item import Item
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset

try:
    import pydp.algorithms.laplacian as algorithms
    from pydp.algorithms import numerical_mechanisms, partition_selection
    from pydp.algorithms.quantile_tree import QuantileTree
except ImportError:
    raise MissingExtra("pydp", "google") from None

_EPSILON, _DELTA = 1.0, 1e-3
# Bounds are found in a noisy histogram, which needs more rows.
_MANY = Dataset(default_rng(0).random(200), domain=VALUES.domain, name="two hundred values in [0, 1]")
_LEAKY = Claim(_EPSILON, _DELTA, Relation.ADD_REMOVE)
_BOUNDED = ("BoundedSum", "BoundedMean", "BoundedVariance", "BoundedStandardDeviation", "Max", "Min", "Median")
_FOUND_BOUNDS = ("BoundedSum", "BoundedMean", "BoundedVariance")
_STRATEGIES = ("truncated_geometric", "laplace", "gaussian")


def python_dp() -> Iterator[Item]:
    """The algorithms of PyDP with bounds and without, its mechanisms, partition strategies and quantile trees.

    >>> len(list(python_dp()))
    19
    """
    for name in _BOUNDED:
        yield Item(name, partial(_release, name, bounded=True), ADDED, VALUES)
    for name in _FOUND_BOUNDS:
        yield Item(f"{name} without bounds", partial(_release, name, bounded=False), ADDED, _MANY)
    yield Item("Percentile", _quarter, ADDED, VALUES)
    yield Item("Count", _count, ADDED, VALUES)
    yield Item("LaplaceMechanism", _laplace, ADDED, VALUES)
    yield Item("GaussianMechanism", _gaussian, _LEAKY, VALUES)
    for name in _STRATEGIES:
        yield Item(f"create_{name}_partition_strategy", partial(_keep, name), _LEAKY, BITS)
    yield Item("QuantileTree (Laplace)", partial(_quantiles, "laplace", 0.0), ADDED, VALUES)
    yield Item("QuantileTree (Gaussian)", partial(_quantiles, "gaussian", _DELTA), _LEAKY, VALUES)


def _release(name: str, data: Dataset, _rng: Generator, *, bounded: bool) -> float:
    bounds = {"lower_bound": 0.0, "upper_bound": 1.0} if bounded else {}
    algorithm = getattr(algorithms, name)(epsilon=_EPSILON, dtype="float", **bounds)
    return float(algorithm.quick_result(_values(data)))


def _quarter(data: Dataset, _rng: Generator) -> float:
    bounds = {"lower_bound": 0.0, "upper_bound": 1.0}
    algorithm = algorithms.Percentile(epsilon=_EPSILON, percentile=0.25, dtype="float", **bounds)
    return float(algorithm.quick_result(_values(data)))


def _count(data: Dataset, _rng: Generator) -> float:
    return float(algorithms.Count(epsilon=_EPSILON, dtype="float").quick_result(_values(data)))


def _laplace(data: Dataset, _rng: Generator) -> float:
    return float(numerical_mechanisms.LaplaceMechanism(_EPSILON, 1.0).add_noise(float(data.X.sum())))


def _gaussian(data: Dataset, _rng: Generator) -> float:
    return float(numerical_mechanisms.GaussianMechanism(_EPSILON, _DELTA, 1.0).add_noise(float(data.X.sum())))


def _keep(name: str, data: Dataset, _rng: Generator) -> bool:
    """Whether a partition is shown that every row is in."""
    create = getattr(partition_selection, f"create_{name}_partition_strategy")
    return bool(create(_EPSILON, _DELTA, 1).should_keep(len(data)))


def _quantiles(noise: str, delta: float, data: Dataset, _rng: Generator) -> list[float]:
    tree = QuantileTree(0.0, 1.0, 4, 16)
    for value in _values(data):
        tree.add_entry(value)
    return [float(found) for found in tree.compute_quantiles(_EPSILON, delta, 1, 1, [0.25, 0.5], noise)]


def _values(data: Dataset) -> list[float]:
    """The rows' only numbers; crafted ones lie inside of the bounds."""
    return [float(value) for value in data.X.ravel()]
