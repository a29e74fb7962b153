"""PipelineDP on one computer (`LocalBackend`): every metric, with public and private partitions."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from numpy.random import Generator

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import BITS, VALUES
from mlaudit.library.item import Item
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.dataset import Dataset

try:
    import pipeline_dp as pdp
except ImportError:
    raise MissingExtra("pipeline_dp", "google") from None

_EPSILON, _DELTA = 1.0, 1e-3
_CLAIM = Claim(_EPSILON, _DELTA, Relation.ADD_REMOVE)
_METRICS = {
    "COUNT": pdp.Metrics.COUNT,
    "PRIVACY_ID_COUNT": pdp.Metrics.PRIVACY_ID_COUNT,
    "SUM": pdp.Metrics.SUM,
    "MEAN": pdp.Metrics.MEAN,
    "VARIANCE": pdp.Metrics.VARIANCE,
    "PERCENTILE": pdp.Metrics.PERCENTILE(50),
}
_NOISY = ("COUNT", "SUM", "MEAN")  # once more with Gaussian noise


def pipeline_dp() -> Iterator[Item]:
    """The metrics of PipelineDP, with Laplace and Gaussian noise, and its selection of partitions.

    >>> len(list(pipeline_dp()))
    14
    """
    for name in _METRICS:
        yield Item(name, partial(_aggregate, (name,)), _CLAIM, VALUES)
    for name in _NOISY:
        yield Item(f"{name} (Gaussian)", partial(_aggregate, (name,), noise="GAUSSIAN"), _CLAIM, VALUES)
    yield Item("COUNT, SUM and MEAN", partial(_aggregate, _NOISY), _CLAIM, VALUES)
    yield Item("COUNT, private partitions", partial(_aggregate, ("COUNT",), public=False), _CLAIM, BITS)
    for strategy in ("TRUNCATED_GEOMETRIC", "LAPLACE_THRESHOLDING", "GAUSSIAN_THRESHOLDING"):
        yield Item(f"select_partitions ({strategy})", partial(_select, strategy), _CLAIM, BITS)


def _aggregate(
    names: tuple[str, ...], data: Dataset, _rng: Generator, *, noise: str = "LAPLACE", public: bool = True
) -> dict[str, Any]:
    """Each row belongs to a person of its own, and all rows to partition 0."""
    budget = pdp.NaiveBudgetAccountant(total_epsilon=_EPSILON, total_delta=_DELTA)
    params = pdp.AggregateParams(
        metrics=[_METRICS[name] for name in names],
        noise_kind=pdp.NoiseKind[noise],
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=0.0,
        max_value=1.0,
    )
    engine = pdp.DPEngine(budget, pdp.LocalBackend())
    asked = engine.aggregate(_rows(data), params, _extractors(), public_partitions=[0] if public else None)
    budget.compute_budgets()
    return {str(partition): found._asdict() for partition, found in asked}


def _select(strategy: str, data: Dataset, _rng: Generator) -> list[int]:
    budget = pdp.NaiveBudgetAccountant(total_epsilon=_EPSILON, total_delta=_DELTA)
    chosen = pdp.PartitionSelectionStrategy[strategy]
    params = pdp.SelectPartitionsParams(max_partitions_contributed=1, partition_selection_strategy=chosen)
    found = pdp.DPEngine(budget, pdp.LocalBackend()).select_partitions(_rows(data), params, _extractors())
    budget.compute_budgets()
    return sorted(int(partition) for partition in found)


def _rows(data: Dataset) -> list[tuple[int, int, float]]:
    return [(person, 0, float(value)) for person, value in enumerate(data.X.ravel())]


def _extractors() -> Any:
    return pdp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
