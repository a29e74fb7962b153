"""multi-freq-ldpy: what its clients send about one user, once or again and again, and about several attributes."""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from numpy.random import Generator

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import FIRST_OR_LAST, REPLACED
from mlaudit.library.item import Item
from mlaudit.refuting.whole_numbers import WholeNumbers
from mlaudit.types.dataset import Dataset
from mlaudit.types.pair import Pair

try:
    import multi_freq_ldpy as package
    import xxhash
    from numba import njit
except ImportError:
    raise MissingExtra("multi_freq_ldpy", "multildp") from None

_EPSILON, _IN_THE_LONG_RUN, _VALUES, _ATTRIBUTES = 1.0, 2.0, 8, 3
_TRAININGS = 1000  # one takes less than a millisecond; compiling takes seconds
_BITS = Dataset(
    np.zeros((1, _ATTRIBUTES)),
    domain=WholeNumbers([0] * _ATTRIBUTES, [1] * _ATTRIBUTES),
    name="one user's three bits",
)
_ALL_DIFFER = Pair(_BITS, _BITS.with_rows(np.ones((1, _ATTRIBUTES))))
_ONE_DIFFERS = Pair(_BITS, _BITS.with_rows(np.eye(1, _ATTRIBUTES)))
_ORACLES, _LONG, _TUPLES = "pure_frequency_oracles", "long_freq_est", "mdim_freq_est"
_SINGLE = {
    "GRR_Client": f"{_ORACLES}.GRR",
    "UE_Client": f"{_ORACLES}.UE",
    "HE_Client": f"{_ORACLES}.HE",
    "SS_Client": f"{_ORACLES}.SS",
    "ADP_Client": f"{_ORACLES}.ADP",
}
_REPEATED = {f"L_{oracle}_Client": f"{_LONG}.L_{oracle}" for oracle in ("GRR", "SUE", "OUE", "OSUE", "SOUE", "ADP")}
_OF_TUPLES = {
    f"{way}_{oracle}_Client": f"{_TUPLES}.{way}_solution" for way in ("SPL", "SMP") for oracle in ("GRR", "UE", "ADP")
}
_OPTIMAL = {"LH_Client": 4, "L_LH_Client": 3}  # how many hashes there are at these ε
_FAKING = [f"RSpFD_{oracle}_Client" for oracle in ("GRR", "UE_zero", "UE_rnd", "ADP")]


def multi_freq_ldpy() -> Iterator[Item]:
    """The clients of multi-freq-ldpy.

    >>> len(list(multi_freq_ldpy()))
    32
    """
    once, repeated = (_VALUES, _EPSILON), (_VALUES, _IN_THE_LONG_RUN, _EPSILON)
    for name, module in _SINGLE.items():
        yield _item(name, partial(_send, module, name, once))
    yield _item("UE_Client, not optimal", partial(_send, f"{_ORACLES}.UE", "UE_Client", (*once, False)))
    yield _item("SS_Client, sorted", _send_sorted)
    for name, module in _REPEATED.items():
        yield _item(f"{name}, one report", partial(_send, module, name, repeated))
    flipped = (_VALUES, _VALUES, 4, _EPSILON)  # all values in buckets of their own, four of eight bits
    yield _item("dBitFlipPM_Client", partial(_send, f"{_LONG}.dBitFlipPM", "dBitFlipPM_Client", flipped))
    for optimal in (False, True):
        kind = "" if optimal else ", not optimal"
        yield _item(f"LH_Client{kind}", partial(_send_hash, f"{_ORACLES}.LH", "LH_Client", (*once, optimal)))
        longer = partial(_send_hash, f"{_LONG}.L_LH", "L_LH_Client", (*repeated, optimal))
        yield _item(f"L_LH_Client{kind}, one report", longer)
    for name, module in _OF_TUPLES.items():
        yield _item(name, partial(_send_tuple, module, name), _ALL_DIFFER)
    for name in _FAKING:
        faked = partial(_send_tuple, f"{_TUPLES}.RSpFD_solution", name)
        yield _item(name, faked, _ALL_DIFFER)
        yield _item(f"{name}, one attribute differs", faked, _ONE_DIFFERS)


def _item(name: str, learner: Any, pair: Pair = FIRST_OR_LAST) -> Item:
    return Item(name, learner, REPLACED, pair=pair, trainings=_TRAININGS)


def _send(module: str, name: str, options: tuple[Any, ...], data: Dataset, rng: Generator) -> Any:
    return _client(module, name, rng)(int(data.X[0, 0]), *options)


def _send_sorted(data: Dataset, rng: Generator) -> Any:
    """A set has no order."""
    return sorted(_send(_SINGLE["SS_Client"], "SS_Client", (_VALUES, _EPSILON), data, rng).tolist())


def _send_hash(module: str, name: str, options: tuple[Any, ...], data: Dataset, rng: Generator) -> list[int]:
    """Whether each value has the hash that was sent: all that the server counts of the hash and the seed."""
    answer, seed = _send(module, name, options, data, rng)
    buckets = _OPTIMAL[name] if options[-1] else 2
    return [int(xxhash.xxh32(str(value), seed=seed).intdigest() % buckets == answer) for value in range(_VALUES)]


def _send_tuple(module: str, name: str, data: Dataset, rng: Generator) -> Any:
    attributes = [int(value) for value in data.X[0]]
    return _client(module, name, rng)(attributes, [2] * _ATTRIBUTES, _ATTRIBUTES, _EPSILON)


def _client(module: str, name: str, rng: Generator) -> Any:
    """A function of the library, whose compiled parts have a generator of their own."""
    _seed_compiled(int(rng.integers(2**32)))
    return getattr(import_module(f"{package.__name__}.{module}"), name)


@njit  # type: ignore[untyped-decorator]
def _seed_compiled(seed: int) -> None:
    np.random.seed(seed)  # noqa: NPY002 - numba has no other
