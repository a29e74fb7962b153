"""What a sampler's file declares."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.traits import BATCH


def _as_it_is(mechanism: Any) -> Any:
    return mechanism


def _refuse_nothing(mechanism: Any, data: Dataset) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class SamplerSpec:
    """A sampler, as its file declares it in `SAMPLER`.

    Attributes:
        prepare: A function of (mechanism, data, target) that does once what all trainings on the data share, and
            returns the function that draws summaries: of (seed, spawn_key, indices) for a mirror, of (n, seed) for a
            batched sampler.
        stands_for: The libraries that the sampler follows, each with the one version that it was written for.
        refusal: A function of (mechanism, data) that says why the sampler cannot draw there; "" if it can.
        bare: A function of the mechanism that returns it without what only looks at its models. Seeds are derived
            from that, so that attacks which look at models in other ways train the same ones.
        batch: How many trainings are drawn at once. Results depend on it.
        sources: Folders of code that the sampler runs, beside mlaudit's samplers; stored draws are named by its hash.
    """

    prepare: Callable[[Any, Dataset, FloatArray | None], Callable[..., FloatArray]]
    stands_for: Mapping[str, str] = field(default_factory=dict)
    refusal: Callable[[Any, Dataset], str] = _refuse_nothing
    bare: Callable[[Any], Any] = _as_it_is
    batch: int = BATCH
    sources: tuple[str, ...] = ()
