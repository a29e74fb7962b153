"""pure-LDP: what its clients send about one user's value, by frequency oracles and by heavy hitters."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from numpy.random import Generator

from mlaudit.errors import MissingExtra
from mlaudit.library.catalogues._rows import FIRST_OR_LAST, REPLACED
from mlaudit.library.item import Item
from mlaudit.types.claim import Claim
from mlaudit.types.dataset import Dataset

try:
    import xxhash
    from pure_ldp import frequency_oracles as oracles
    from pure_ldp.core import generate_hash
    from pure_ldp.heavy_hitters.apple_sfp import SFPClient
    from pure_ldp.heavy_hitters.prefix_extending import PEMClient
    from pure_ldp.heavy_hitters.treehistogram import TreeHistClient
except ImportError:
    raise MissingExtra("pure_ldp", "pureldp") from None

_EPSILON, _VALUES, _LENGTH = 1.0, 8, 3  # eight values are texts of three bits
_TRAININGS = 2000  # one takes a tenth of a millisecond
_F, _WIDTH = 0.75, 16  # of RAPPOR, whose client computes the ε; of sketches and Bloom filters
_HASHES = [generate_hash(_WIDTH, 3)]  # the first value and the last have different hashes with this seed
_SIGNED = [(_HASHES[0], generate_hash(2, 3))]
_PLAIN: dict[str, dict[str, Any]] = {
    "DEClient": {},
    "UEClient": {},
    "UEClient, use_oue": {"use_oue": True},
    "HEClient": {},
    "HadamardMechClient": {"t": 1},
    "HadamardMechClient, use_optimal_t": {"t": None, "use_optimal_t": True},
}
_HASHED: dict[str, dict[str, Any]] = {
    "LHClient": {},
    "LHClient, use_olh": {"use_olh": True},
    "FastLHClient, use_olh": {"k": 8, "use_olh": True},
}
_SKETCHES: dict[str, dict[str, Any]] = {
    "CMSClient": {"hash_funcs": _HASHES, "m": _WIDTH},
    "CMSClient, is_hadamard": {"hash_funcs": _HASHES, "m": _WIDTH, "is_hadamard": True},
    "PCSClient": {"hash_funcs": _SIGNED, "l": 1, "w": _WIDTH},
}


def pure_ldp() -> Iterator[Item]:
    """The clients of pure-LDP's frequency oracles and heavy hitters.

    >>> len(list(pure_ldp()))
    19
    """
    for name, options in _PLAIN.items():
        yield _item(name, partial(_send, name, {"d": _VALUES, **options}))
    yield _item("HadamardResponseClient", _send_response, Claim(2.0))
    for name, options in _HASHED.items():
        yield _item(name, partial(_send_hash, name, options))
    for name, options in _SKETCHES.items():
        yield _item(name, partial(_send, name, options))
    yield _item("SketchResponseClient", partial(_send_sketch, signed=False))
    yield _item("SketchResponseClient, count_sketch", partial(_send_sketch, signed=True))
    yield _item("RAPPORClient", _send_rappor, Claim(float(_rappor().convert_f_to_eps(_F, 1))))
    for name, send in (("PEMClient", _send_prefix), ("SFPClient", _send_fragment), ("TreeHistClient", _send_tree)):
        yield _item(name, send)


def _item(name: str, learner: Any, claim: Claim = REPLACED) -> Item:
    return Item(name, learner, claim, pair=FIRST_OR_LAST, trainings=_TRAININGS)


def _send(name: str, options: dict[str, Any], data: Dataset, _rng: Generator) -> Any:
    client = getattr(oracles, name.partition(",")[0])(epsilon=_EPSILON, **options)
    sent = client.privatise(_value(data) + 1)
    return list(sent) if isinstance(sent, zip) else sent


def _send_response(data: Dataset, _rng: Generator) -> int:
    """The permutation is public, so it may be any. Below ε = 1 the client fails with Python 3.12 and newer."""
    client = oracles.HadamardResponseClient(epsilon=2.0, d=_VALUES, hash_funcs=list(range(_VALUES)))
    return int(client.privatise(_value(data) + 1))


def _send_hash(name: str, options: dict[str, Any], data: Dataset, _rng: Generator) -> list[int]:
    client = getattr(oracles, name.partition(",")[0])(epsilon=_EPSILON, d=_VALUES, **options)
    return _candidates(client.g, *client.privatise(_value(data) + 1))


def _candidates(buckets: int, answer: int, seed: int, values: int = _VALUES) -> list[int]:
    """Whether each value has the hash that was sent: all that the server counts of the hash and the seed."""
    return [int(xxhash.xxh32(str(value), seed=seed).intdigest() % buckets == answer) for value in range(values)]


def _send_sketch(data: Dataset, _rng: Generator, *, signed: bool) -> Any:
    hashes = _SIGNED if signed else _HASHES
    client = oracles.SketchResponseClient(_EPSILON, _WIDTH, hashes, lh_k=8, count_sketch=signed)
    (answer, seed), _ = client.privatise(_value(data) + 1)
    return _candidates(client.client.g, answer, seed, values=2 * _WIDTH if signed else _WIDTH)


def _rappor() -> Any:
    return oracles.RAPPORClient(f=_F, m=_WIDTH, hash_funcs=[_HASHES], num_of_cohorts=1)


def _send_rappor(data: Dataset, _rng: Generator) -> Any:
    return _rappor().privatise(_value(data) + 1)


def _send_prefix(data: Dataset, _rng: Generator) -> Any:
    client = PEMClient(_EPSILON, start_length=1, max_string_length=_LENGTH, fragment_length=1)
    (answer, seed), group = client.privatise(_text(data))
    return group, _candidates(client.client.g, answer, seed)


def _send_fragment(data: Dataset, _rng: Generator) -> Any:
    words = oracles.CMSClient(epsilon=_EPSILON, hash_funcs=_HASHES, m=_WIDTH)
    return SFPClient(_EPSILON, fragment_length=1, max_string_length=_LENGTH, fo_client=words).privatise(_text(data))


def _send_tree(data: Dataset, _rng: Generator) -> Any:
    client = TreeHistClient(_EPSILON, fragment_length=1, max_string_length=_LENGTH)
    sent = zip(client.privatise(_text(data)), (client.fragment_estimator.g, client.word_estimator.g), strict=True)
    return [_candidates(buckets, answer, seed) for (answer, seed), buckets in sent]


def _value(data: Dataset) -> int:
    return int(data.X[0, 0])


def _text(data: Dataset) -> str:
    return format(_value(data), f"0{_LENGTH}b")
