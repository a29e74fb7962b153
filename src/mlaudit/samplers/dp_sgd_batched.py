"""DP-SGD in compiled kernels, for the mechanism's Networks: the same steps as Opacus takes, without torch."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import SeedSequence

from mlaudit import dp_sgd
from mlaudit.dp_sgd.compiled import logits, train_many
from mlaudit.dp_sgd.models import margins
from mlaudit.dp_sgd.plan import Plan
from mlaudit.dp_sgd.pretraining import scale_pixels
from mlaudit.dp_sgd.shelf import shelf_of_process
from mlaudit.errors import InvalidInput
from mlaudit.mechanisms.dp_sgd import DpSgd
from mlaudit.naming.describe import describe
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import AnyArray, Float32Array, FloatArray
from mlaudit.types.dataset import Dataset


@dataclass(frozen=True, eq=False)
class Batch:
    """Draws the margins of one dataset's models."""

    trained: str  # names the mechanism without its view, and the data
    plan: Plan
    images: Float32Array
    labels: AnyArray
    initial: Float32Array | None
    points: Float32Array

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """`n` summaries, as rows."""
        key = self.trained, n, str(seed.entropy), tuple(seed.spawn_key)
        weights = shelf_of_process().find_or_train(
            key, lambda: train_many(self.plan, self.images, self.labels, self.initial, n, seed)
        )
        said = logits(self.plan.network, weights, self.points).astype(float)
        return np.array([margins(model) for model in said])


def refusal(mechanism: DpSgd, data: Dataset) -> str:
    """Why it cannot stand in."""
    return "" if mechanism.module is None else "it trains Networks, not a module of your own"


def prepare(mechanism: DpSgd, data: Dataset, target: FloatArray | None) -> Batch:
    """Everything that does not change between trainings."""
    if target is None:
        raise InvalidInput("dp_sgd is seen by its predictions at a point, got a pair without one; give a target")
    return Batch(
        str((describe(take_view_away(mechanism)), data.digest, data.name)),
        mechanism.plan(data),
        scale_pixels(data.X, mechanism.pixels),
        np.asarray(data.y),
        mechanism.initial_weights(data),
        mechanism.view(data).points(target),
    )


def take_view_away(mechanism: DpSgd) -> DpSgd:
    """The mechanism without its probes: they only look at a model."""
    return replace(mechanism, probes=None)


# Few at once: a training takes tens of milliseconds.
SAMPLER = SamplerSpec(
    prepare=prepare,
    stands_for={"opacus": "1.6.0"},
    refusal=refusal,
    bare=take_view_away,
    batch=10,
    sources=tuple(dp_sgd.__path__),
)
