"""numpy's RandomState for kernels, bit for bit: MT19937 seeded by a SeedSequence or by a number."""

from typing import Any

import numpy as np

from mlaudit.kernels.jit import compiled, inlined
from mlaudit.types.arrays import FloatArray, IntArray

Words = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]

LENGTH = 625  # 624 words of state and the position of the next one
_N, _M = 624, 397
_INIT_A, _MULT_A, _INIT_B, _MULT_B = (np.uint32(k) for k in (0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED))
_LEFT, _RIGHT, _HALF = np.uint32(0xCA01F9DD), np.uint32(0x4973F715), np.uint32(16)
_POOL = 4
_UPPER, _LOWER, _MATRIX = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)
_ONE, _U5, _U6, _U7, _U11, _U15, _U18 = (np.uint32(k) for k in (1, 5, 6, 7, 11, 15, 18))
_TEMPER_B, _TEMPER_C = np.uint32(0x9D2C5680), np.uint32(0xEFC60000)
_KNUTH = np.uint32(1812433253)
_U30 = np.uint32(30)


def entropy_of(seed: int, spawn_key: tuple[int, ...]) -> Words:
    """Return what SeedSequence(seed, spawn_key=(*spawn_key, index)) mixes before the index: padded seed and key."""
    run = _parts(seed)
    run += [0] * (_POOL - len(run))
    return np.array([*run, *(part for number in spawn_key for part in _parts(number))], dtype=np.uint32)


def _parts(number: int) -> list[int]:
    parts = [number & 0xFFFFFFFF]
    while number := number >> 32:
        parts.append(number & 0xFFFFFFFF)
    return parts


@inlined
def _hash(value: Any, constant: Any) -> Any:
    value = np.uint32(value ^ constant[0])
    constant[0] = np.uint32(constant[0] * _MULT_A)
    value = np.uint32(value * constant[0])
    return np.uint32(value ^ (value >> _HALF))


@inlined
def _mix(x: Any, y: Any) -> Any:
    mixed = np.uint32(np.uint32(_LEFT * x) - np.uint32(_RIGHT * y))
    return np.uint32(mixed ^ (mixed >> _HALF))


@compiled
def _fill_pool(entropy: Any, pool: Any, constant: Any) -> Any:
    """Set SeedSequence's pool after the entropy, and its hash constant there."""
    constant[0] = _INIT_A
    for i in range(_POOL):
        pool[i] = _hash(entropy[i], constant)
    for source in range(_POOL):
        for at in range(_POOL):
            if source != at:
                pool[at] = _mix(pool[at], _hash(pool[source], constant))
    for source in range(_POOL, len(entropy)):
        for at in range(_POOL):
            pool[at] = _mix(pool[at], _hash(entropy[source], constant))


@compiled
def seed_at(pool: Any, constant: Any, index: Any, state: Any) -> Any:
    """Set the state of MT19937(SeedSequence(…, index)): mix the index into the pool and expand it."""
    own = np.empty(_POOL, np.uint32)
    after = np.empty(1, np.uint32)
    after[0] = constant[0]
    for at in range(_POOL):
        own[at] = _mix(pool[at], _hash(np.uint32(index), after))
    hashing = _INIT_B
    for i in range(_N):
        value = np.uint32(own[i & 3] ^ hashing)
        hashing = np.uint32(hashing * _MULT_B)
        value = np.uint32(value * hashing)
        state[i] = np.uint32(value ^ (value >> _HALF))
    state[0] = _UPPER  # numpy sets the first word so that the state is never all zeros
    state[_N] = np.uint32(_N - 1)


@compiled
def seed_by_number(number: Any, state: Any) -> Any:
    """Set the state of RandomState(number), for a number of at most 32 bits."""
    state[0] = np.uint32(number)
    for i in range(1, _N):
        last = state[i - 1]
        state[i] = np.uint32(np.uint32(_KNUTH * np.uint32(last ^ (last >> _U30))) + np.uint32(i))
    state[_N] = np.uint32(_N)


@compiled
def _regenerate(state: Any) -> Any:
    for k in range(_N - _M):
        y = (state[k] & _UPPER) | (state[k + 1] & _LOWER)
        state[k] = state[k + _M] ^ (y >> _ONE) ^ (_MATRIX if y & _ONE else np.uint32(0))
    for k in range(_N - _M, _N - 1):
        y = (state[k] & _UPPER) | (state[k + 1] & _LOWER)
        state[k] = state[k + _M - _N] ^ (y >> _ONE) ^ (_MATRIX if y & _ONE else np.uint32(0))
    y = (state[_N - 1] & _UPPER) | (state[0] & _LOWER)
    state[_N - 1] = state[_M - 1] ^ (y >> _ONE) ^ (_MATRIX if y & _ONE else np.uint32(0))
    state[_N] = np.uint32(0)


@compiled
def take_words(state: Any, out: Any) -> None:
    """Copy the next 624 words, which are not tempered, of a state that has none left from before."""
    _regenerate(state)
    out[:_N] = state[:_N]
    state[_N] = np.uint32(_N)


@compiled
def return_words(state: Any, unused: Any) -> None:
    """Give the last of the words that were taken back to the state."""
    state[_N] = np.uint32(_N - unused)


@inlined
def temper(y: Any) -> Any:
    """Turn a word of the state into 32 random bits."""
    y ^= y >> _U11
    y ^= (y << _U7) & _TEMPER_B
    y ^= (y << _U15) & _TEMPER_C
    return np.uint32(y ^ (y >> _U18))


@inlined
def word(state: Any) -> Any:
    """Draw the next 32 bits."""
    if state[_N] >= np.uint32(_N):
        _regenerate(state)
    at = state[_N]
    state[_N] = at + _ONE
    return temper(state[at])


@inlined
def unit_of(first: Any, second: Any) -> Any:
    """Return the number in [0, 1) that RandomState.random() makes of two words."""
    return (np.float64(first >> _U5) * 67108864.0 + np.float64(second >> _U6)) / 9007199254740992.0


@inlined
def uniform(state: Any) -> Any:
    """Draw as RandomState.random() does: 53 bits in [0, 1)."""
    first = word(state)
    return unit_of(first, word(state))


@inlined
def mask_below(n: Any) -> Any:
    """Return a mask of as many bits as n − 1 has."""
    mask = np.uint32(n - 1)
    mask |= mask >> _ONE
    mask |= mask >> np.uint32(2)
    mask |= mask >> np.uint32(4)
    mask |= mask >> np.uint32(8)
    return np.uint32(mask | (mask >> np.uint32(16)))


@inlined
def below(state: Any, n: Any) -> Any:
    """Draw as RandomState.randint(n) does: words masked to the bits of n − 1, until one fits."""
    most, mask = np.uint32(n - 1), mask_below(n)
    if most == np.uint32(0):
        return np.int64(0)
    while True:
        value = word(state) & mask
        if value <= most:
            return np.int64(value)


def shared_pool(seed: int, spawn_key: tuple[int, ...]) -> tuple[Words, Words]:
    """Return what the seeds of all trainings share: SeedSequence's pool before the index, and its hash constant."""
    pool, constant = np.empty(_POOL, np.uint32), np.empty(1, np.uint32)
    _fill_pool(entropy_of(seed, spawn_key), pool, constant)
    return pool, constant


@compiled
def _fill_uniforms(pool: Any, constant: Any, indices: Any, out: Any) -> Any:
    state = np.empty(LENGTH, np.uint32)
    for row in range(len(indices)):
        seed_at(pool, constant, indices[row], state)
        for column in range(out.shape[1]):
            out[row, column] = uniform(state)


def uniforms(seed: int, spawn_key: tuple[int, ...], indices: IntArray, n: int) -> FloatArray:
    """Return n numbers of RandomState(MT19937(SeedSequence(seed, spawn_key=(*spawn_key, index)))) for each index.

    >>> from numpy.random import MT19937, RandomState, SeedSequence
    >>> ours = uniforms(7, (5, 2**31), np.array([0, 3]), 700)
    >>> theirs = [RandomState(MT19937(SeedSequence(7, spawn_key=(5, 2**31, i)))).random(700) for i in (0, 3)]
    >>> bool((ours == theirs).all())
    True
    """
    pool, constant = shared_pool(seed, spawn_key)
    out = np.empty((len(indices), n))
    _fill_uniforms(pool, constant, indices, out)
    return out
