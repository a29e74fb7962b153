"""How often a two-sided interval covers the true ratio of two binomial proportions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence, default_rng

from mlaudit.cli.objects import the_interval
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Engine, Interval, Store
from mlaudit.sampling import Progress
from mlaudit.sweeps.cells import LABEL, SEED, Cell
from mlaudit.types.checks import real, whole

KEYS = frozenset({"interval", "p1", "p0", "n", "repetitions", "alpha", "tail", LABEL})
_USUAL = {"p0": 0.01, "repetitions": 10_000, "alpha": 0.05}


@dataclass(frozen=True)
class CoverageJob:
    """Draw two counts, bound ln(p₁/p₀) on both sides at error `tail` each, see whether the truth is inside.

    Which error an interval takes on one side for a nominal 1 − α on both is its own affair: α/2 for one that bounds
    the ratio, α for one that divides it between two proportions.
    """

    interval: Interval
    p1: float
    p0: float
    n: int
    repetitions: int
    alpha: float
    tail: float
    seed: int

    trainings = 0
    share = ""
    at_once = True

    def measure(self, engine: Engine, store: Store, progress: Progress) -> Mapping[str, Any]:
        """The share of intervals that cover the truth."""
        rng = default_rng(SeedSequence(self.seed, spawn_key=(self.n, round(self.p1 * 1e6), round(self.p0 * 1e6))))
        hits, others = (
            rng.binomial(self.n, self.p1, self.repetitions),
            rng.binomial(self.n, self.p0, self.repetitions),
        )
        low = self.interval.log_ratio(hits, others, self.n, self.n, self.tail)
        high = -self.interval.log_ratio(others, hits, self.n, self.n, self.tail)
        truth = np.log(self.p1 / self.p0)
        covered = float(np.mean((low <= truth) & (truth <= high)))
        return {"coverage": covered, "nominal": 1.0 - self.alpha, "repetitions": self.repetitions}


def jobs(cells: Sequence[Cell]) -> Iterator[CoverageJob]:
    """A job for each cell."""
    for cell in cells:
        given = {**_USUAL, **cell.settings}
        for name in ("interval", "p1", "n"):
            if name not in given:
                raise InvalidInput(f"a cell of kind coverage must have {name}, got none; add it to [grid]")
        for name in ("p1", "p0", "alpha"):
            real(name, given[name], 0, 1)
        whole("n", given["n"], 1)
        whole("repetitions", given["repetitions"], 1)
        tail = given.get("tail", given["alpha"] / 2)
        real("tail", tail, 0, 1)
        numbers = {name: given[name] for name in ("p1", "p0", "n", "repetitions", "alpha")}
        yield CoverageJob(the_interval(given["interval"]), tail=tail, seed=given[SEED], **numbers)
