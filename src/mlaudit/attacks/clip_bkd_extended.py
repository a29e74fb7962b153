"""ClipBKD's point, judged by the predictions there, on a blank image and on test images (Lu et al. 2022)."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from numpy.random import Generator

from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import mechanism_name
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class ClipBkdExtended:
    """For dp_sgd: predictions at other points separate the effect of x* from that of initial weights and other rows.

    Without test images τ is P(x*) and P(0); ClipBKD as it was published takes their difference.
    """

    probes: int = 8

    def observe(self, mechanism: Mechanism) -> Mechanism:
        """The learner with predictions at more points in its summary τ."""
        learner = cast(Any, mechanism)
        if not is_dataclass(learner) or "probes" not in {field.name for field in fields(learner)}:
            raise InvalidInput(f"clip_bkd_extended needs a learner with probes, {mechanism_name(mechanism)} has none")
        return cast(Mechanism, replace(learner, probes=self.probes))  # type: ignore[type-var]  # a dataclass: checked above

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows replaced by ClipBKD's backdoor."""
        return ClipBkd()(mechanism, data, rows, rng)
