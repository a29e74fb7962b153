"""ClipBKD's point, judged by the predictions there, on a blank image and on test images (Lu et al. 2022)."""

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

from numpy.random import Generator

from mlaudit.adapters.convert import mechanism_name
from mlaudit.attacks.clip_bkd import ClipBkd
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair


@dataclass(frozen=True)
class ClipBkdExtended:
    """For dp_sgd: what initial weights and other rows do to all predictions alike can be told from what x* does.

    With no test images it is P(x*) and P(0), of which ClipBKD as it was published takes the difference.
    """

    probes: int = 8

    def watch(self, mechanism: Mechanism) -> Mechanism:
        """The learner, seen at more points."""
        learner = cast(Any, mechanism)
        if not is_dataclass(learner) or "probes" not in {field.name for field in fields(learner)}:
            raise InvalidInput(f"clip_bkd_extended needs a learner with probes, {mechanism_name(mechanism)} has none")
        return cast(Mechanism, replace(learner, probes=self.probes))  # type: ignore[type-var]  # a dataclass: checked above

    def __call__(self, mechanism: Mechanism, data: Dataset, rows: int, rng: Generator) -> Pair:
        """D with `rows` random rows replaced by ClipBKD's backdoor."""
        return ClipBkd()(mechanism, data, rows, rng)
