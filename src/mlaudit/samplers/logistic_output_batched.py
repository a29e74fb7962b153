"""Output perturbation, many at once: one fit, then noise of uniform direction and Gamma norm."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.kernels.xoshiro import key_of, seed_stream, uniform
from mlaudit.mechanisms._diffprivlib import require_domain
from mlaudit.mechanisms.logistic_output import LogisticOutput
from mlaudit.samplers._spec import SamplerSpec
from mlaudit.types.arrays import FloatArray
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import L2Ball

_TINY = 1e-280


@dataclass(frozen=True, eq=False)
class Batch:
    """Draws coefficients around one dataset's minimiser."""

    center: FloatArray
    scale: float

    def __call__(self, n: int, seed: SeedSequence) -> FloatArray:
        """`n` vectors of coefficients, as rows."""
        out = np.empty((n, len(self.center)))
        _draw_coefficients(key_of(seed), self.center, self.scale, out)
        return out


def prepare(mechanism: LogisticOutput, data: Dataset, target: FloatArray | None) -> Batch:
    """The one fit."""
    scale = 2.0 * require_domain(L2Ball, data).radius * mechanism.C / mechanism.epsilon
    return Batch(mechanism.minimiser(data), scale)


@inlined
def draw_gamma_norm_noise(state: Any, scale: Any, noise: Any) -> Any:
    """Noise of density ∝ e^{−|b|/scale}: normals for its direction (Marsaglia's polar method), Gamma(d) its norm."""
    d = len(noise)
    length = 0.0
    for i in range(0, d, 2):
        a, b, square = 0.0, 0.0, 0.0
        while square >= 1.0 or square == 0.0:
            a, b = 2.0 * uniform(state) - 1.0, 2.0 * uniform(state) - 1.0
            square = a * a + b * b
        factor = math.sqrt(-2.0 * math.log(square) / square)
        noise[i] = a * factor
        length += noise[i] * noise[i]
        if i + 1 < d:
            noise[i + 1] = b * factor
            length += noise[i + 1] * noise[i + 1]
    # Gamma(d) as the sum of d exponentials: the logarithm of a product, taken before it underflows.
    total, product = 0.0, 1.0
    for _ in range(d):
        product *= uniform(state)
        if product < _TINY:
            total -= math.log(product)
            product = 1.0
    stretch = (total - math.log(product)) * scale / math.sqrt(length)
    for i in range(d):
        noise[i] *= stretch


@compiled
def _draw_coefficients(key: Any, center: Any, scale: Any, out: Any) -> None:
    state = np.empty(4, np.uint64)
    for row in range(len(out)):
        seed_stream(key, row, state)
        draw_gamma_norm_noise(state, scale, out[row])
        for i in range(len(center)):
            out[row, i] += center[i]


SAMPLER = SamplerSpec(prepare=prepare)
