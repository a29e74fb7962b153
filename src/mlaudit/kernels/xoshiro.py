"""The generator xoshiro256++ for kernels: one stream for each training."""

import math
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.kernels.jit import compiled, inlined

_WEYL = np.uint64(0x9E3779B97F4A7C15)
_KEY = np.uint64(0xD1342543DE82EF95)
_MIX1, _MIX2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S17, _S12 = (np.uint64(k) for k in (30, 27, 31, 17, 12))
_LEFT23, _RIGHT23, _LEFT45, _RIGHT45 = (np.uint64(k) for k in (23, 41, 45, 19))
_UNIT = 1.0 / 4503599627370496.0


def key_of(seed: SeedSequence) -> np.uint64:
    """Return 64 bits of a block's seed."""
    return np.uint64(seed.generate_state(1, np.uint64)[0])


@inlined
def _mix(z: Any) -> Any:
    z = (z ^ (z >> _S30)) * _MIX1
    z = (z ^ (z >> _S27)) * _MIX2
    return z ^ (z >> _S31)


@inlined
def seed_stream(key: Any, row: Any, state: Any) -> Any:
    """Fill the four words of a stream from a block's key and a row, by splitmix64."""
    x = _mix(key * _KEY + np.uint64(row) * _WEYL + np.uint64(1))
    for i in range(4):
        x += _WEYL
        state[i] = _mix(x)


@inlined
def word(state: Any) -> Any:
    """Draw the next 64 bits."""
    total = state[0] + state[3]
    out = ((total << _LEFT23) | (total >> _RIGHT23)) + state[0]
    t = state[1] << _S17
    state[2] ^= state[0]
    state[3] ^= state[1]
    state[1] ^= state[2]
    state[0] ^= state[3]
    state[2] ^= t
    state[3] = (state[3] << _LEFT45) | (state[3] >> _RIGHT45)
    return out


@inlined
def uniform(state: Any) -> Any:
    """Draw a number in (0, 1): 52 bits plus one half, so that neither end is reached."""
    return (np.float64(word(state) >> _S12) + 0.5) * _UNIT


@inlined
def quantile(u: Any) -> Any:
    """Return the quantile of Laplace noise of scale 1, without an unpredictable branch."""
    return math.copysign(math.log(1.0 - 2.0 * abs(u - 0.5)), u - 0.5)


@inlined
def laplace(state: Any) -> Any:
    """Draw Laplace noise of scale 1."""
    return quantile(uniform(state))


@compiled
def make_stream(key: Any, row: Any) -> Any:
    """Return the stream of one training, an array that kernels advance."""
    state = np.empty(4, np.uint64)
    seed_stream(key, row, state)
    return state
