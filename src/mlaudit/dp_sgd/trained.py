"""What a training leaves behind."""

from dataclasses import dataclass

from mlaudit.types.arrays import Float32Array, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Trained:
    """Final weights, what was seen of every step, and how many rows joined it.

    `observed[t, k]` is the product of step t's noisy sum with direction k, before it is divided by the batch.
    """

    weights: Float32Array
    observed: FloatArray
    batches: IntArray
