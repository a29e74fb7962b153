"""The result of one training."""

from dataclasses import dataclass

from mlaudit.types.arrays import Float32Array, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class TrainingRecord:
    """Final weights, the observed products of every step, and the batch sizes.

    `observed[t, k]` is the product of step t's noisy sum with direction k, before it is divided by the batch.
    """

    weights: Float32Array
    observed: FloatArray
    batches: IntArray
