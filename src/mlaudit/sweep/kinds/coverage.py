"""How often a two-sided interval covers the true ratio of two binomial proportions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.auditing.build import build_interval
from mlaudit.auditing.options import argument, option
from mlaudit.drawing.progress import ProgressFunction
from mlaudit.protocols import Engine, Interval, Store
from mlaudit.types.checks import real, whole
from mlaudit.types.dataset import Dataset


@dataclass(frozen=True)
class CoverageSpec:
    """The settings of a cell."""

    interval: str = argument("an interval by name", plugin="intervals")
    p1: float = argument("the first proportion")
    n: int = argument("trials of each")
    p0: float = option(0.01, "the second proportion")
    repetitions: int = option(10_000, "intervals to draw")
    alpha: float = option(0.05, "error of both sides together")
    tail: float | None = option(None, "error that each side is asked for (default: half of alpha)")
    seed: int = option(0, "of all draws")


@dataclass(frozen=True)
class CoverageMeasurement:
    """Draw two counts, bound ln(p₁/p₀) on both sides at error `tail` each, see whether the truth is inside.

    An interval that bounds the ratio needs α/2 on one side for a nominal 1 − α on both; one that divides its error
    between two proportions needs α.
    """

    interval: Interval
    spec: CoverageSpec

    trainings = 0
    share = ""
    at_once = True
    dataset = None

    def with_dataset(self, data: Dataset | None) -> "CoverageMeasurement":
        """The same: it has no data."""
        return self

    def measure(self, engine: Engine, store: Store, progress: ProgressFunction) -> Mapping[str, Any]:
        """The share of intervals that cover the truth."""
        spec, n = self.spec, self.spec.n
        rng = default_rng(SeedSequence(spec.seed, spawn_key=(n, round(spec.p1 * 1e6), round(spec.p0 * 1e6))))
        hits, others = rng.binomial(n, spec.p1, spec.repetitions), rng.binomial(n, spec.p0, spec.repetitions)
        tail = spec.alpha / 2 if spec.tail is None else spec.tail
        low = self.interval.log_ratio(hits, others, n, n, tail)
        high = -self.interval.log_ratio(others, hits, n, n, tail)
        truth = np.log(spec.p1 / spec.p0)
        covered = float(np.mean((low <= truth) & (truth <= high)))
        return {"coverage": covered, "nominal": 1.0 - spec.alpha, "repetitions": spec.repetitions}


@dataclass(frozen=True)
class CoverageKind:
    """Coverage of intervals."""

    spec: ClassVar = CoverageSpec

    def prepare(self, spec: CoverageSpec) -> CoverageMeasurement:
        """The measurement, with its numbers checked."""
        for name in ("p1", "p0", "alpha"):
            real(name, getattr(spec, name), 0, 1)
        whole("n", spec.n, 1)
        whole("repetitions", spec.repetitions, 1)
        if spec.tail is not None:
            real("tail", spec.tail, 0, 1)
        return CoverageMeasurement(build_interval(spec.interval), spec)
