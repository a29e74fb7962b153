"""The messages between mlaudit and a program: JSON objects, one a line. docs/other_languages.md explains them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from math import isfinite
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.types.checks import choice, quote, real, several, text
from mlaudit.types.claim import Claim, Relation
from mlaudit.types.column import TypedColumn
from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.domain import Box, Domain, L2Ball, Label, label_range_of, legal_labels
from mlaudit.types.number_columns import Boolean, Integer, Number
from mlaudit.types.preparation import TARGETS, Targets
from mlaudit.types.text_columns import Category, Text

PROTOCOL = 1
SLOTS = 8  # datasets that a program keeps at a time
PATIENCE = 600.0  # seconds without a line after which a program hangs, unless it says otherwise
_MOST_PATIENCE = 7 * 24 * 3600.0
_LONGEST_NAME = 100
_SPECIAL = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_ASIDE = {"type", "protocol"}
_CLAIM = ("epsilon", "delta", "relation")


@dataclass(frozen=True)
class Facts:
    """What a program says of itself in its hello; everything but the protocol may be left out.

    Args:
        name: What results call it.
        version: Its version. Stored trainings of another version are not used again.
        claim: The privacy that it claims, where mlaudit is given none.
        bounds: The least and the greatest value of a row, as numbers or column by column.
        norm: The largest L2 norm of a row.
        types: The columns of a typed table that it reads, as they are written in the data.
        labels: The labels that rows may carry.
        targets: The labels that it learns from, as in `Traits`.
        patience: The longest time in seconds between two lines that it prints.
    """

    name: str = ""
    version: str = ""
    claim: Mapping[str, Any] | None = None
    bounds: tuple[Any, Any] | None = None
    norm: float | None = None
    labels: tuple[Label, ...] | None = None
    targets: Targets = "any"
    patience: float | None = None
    types: tuple[Mapping[str, Any], ...] | None = None

    def __post_init__(self) -> None:
        for field, value in (("name", self.name), ("version", self.version)):
            if not text(field, value).isprintable() or "/" in value or len(value) > _LONGEST_NAME:
                raise InvalidInput(
                    f"{field} must be a short text in one line and without slashes, got {quote(value)}"
                )
        choice("kind of targets", self.targets, TARGETS)
        object.__setattr__(self, "labels", legal_labels(self.labels))
        if self.patience is not None:
            real("patience", self.patience, 0, _MOST_PATIENCE)
        if self.claim is not None:
            read_claim(self.claim)
        stated = [name for name in ("bounds", "norm", "types") if getattr(self, name) is not None]
        if len(stated) > 1:
            raise InvalidInput(f"a program must state bounds, a norm or types, got {' and '.join(stated)}")
        self.domain()

    def domain(self) -> Domain | None:
        """The domain that the program declares."""
        if self.types is not None:
            return Columns([_read_type(stated) for stated in several("types", self.types, "columns")], self.labels)
        if self.norm is not None:
            return L2Ball(self.norm, self.labels)
        if self.bounds is None:
            return None
        if not isinstance(self.bounds, tuple | list) or len(self.bounds) != 2:
            raise InvalidInput(f"bounds must be a least and a greatest value, as in [0, 1], got {quote(self.bounds)}")
        return Box(*self.bounds, self.labels)


def read_claim(stated: object) -> Claim:
    """The claim that a program states.

    >>> read_claim({"epsilon": 1, "relation": "add-remove"}).relation.value
    'add-remove'
    """
    if not isinstance(stated, Mapping) or "epsilon" not in stated:
        raise InvalidInput(f'claim must be an object with epsilon, as in {{"epsilon": 1}}, got {quote(stated)}')
    for name in stated:
        if name not in _CLAIM:
            raise UnknownName("part of a claim", str(name), _CLAIM)
    relation = choice("relation", stated.get("relation", Relation.REPLACE_ONE.value), [r.value for r in Relation])
    return Claim(stated["epsilon"], stated.get("delta", 0.0), Relation(relation))


def write_hello(claim: Claim | None, params: Mapping[str, Any]) -> bytes:
    """The first message: what is claimed, and the learner's parameters.

    >>> write_hello(None, {"bins": 4}).decode().strip()[-21:]
    ',"params":{"bins":4}}'
    """
    stated = dict[str, Any].fromkeys(_CLAIM)
    if claim is not None:
        stated = {"epsilon": claim.epsilon, "delta": claim.delta, "relation": claim.relation.value}
    return _write({"type": "hello", "protocol": PROTOCOL, **stated, "params": dict(params)})


def read_hello(line: bytes) -> Facts:
    """What a program answers to the first message.

    >>> read_hello(b'{"type":"hello","protocol":1,"name":"laplace"}').name
    'laplace'
    >>> read_hello(b'{"protocol":1,"vesrion":"2"}')
    Traceback (most recent call last):
    mlaudit.errors.UnknownName: no part of a hello is called 'vesrion'; did you mean 'version'?
    """
    found = read_object(line)
    if found.get("protocol") != PROTOCOL or isinstance(found["protocol"], bool):
        raise InvalidInput(
            f"a program must answer the hello with the protocol that it speaks, "
            f'{{"type": "hello", "protocol": {PROTOCOL}}}, got {_shorten(line)}'
        )
    known = set(Facts.__dataclass_fields__)
    for name in found:
        if name not in known | _ASIDE:
            raise UnknownName("part of a hello", name, known)
    return Facts(**{name: value for name, value in found.items() if name in known and value is not None})


def write_data(slot: int, data: Dataset) -> bytes:
    """The rows of a dataset, their labels, their domain, and their owners if they have any.

    >>> write_data(0, Dataset([[0.0, 0.5]]))[:62]
    b'{"type":"data","slot":0,"rows":1,"columns":2,"X":[[0.0,0.5]],"'
    """
    domain = data.domain
    typed = isinstance(domain, Columns)
    ends = (domain.low.tolist(), domain.high.tolist()) if isinstance(domain, Box) and not typed else None
    message = {
        "type": "data",
        "slot": slot,
        "rows": len(data),
        "columns": data.X.shape[1],
        "X": _write_rows(data),
        "y": None if data.y is None else data.y.tolist(),
        "bounds": ends,
        "norm": domain.radius if isinstance(domain, L2Ball) else None,
        "labels": None if domain is None else domain.labels,
        "label_range": label_range_of(domain),
    }
    if data.units is not None:
        message |= {"units": data.units.tolist(), "unit": data.unit}
    if isinstance(domain, Columns):
        message["types"] = [_write_type(column) for column in domain.columns]
    return _write(message)


def _write_rows(data: Dataset) -> list[Any]:
    """The numbers of each row; the values of each row of a typed table."""
    if isinstance(data.domain, Columns):
        return [list(row) for row in data.domain.read_rows(data.X)]
    return data.X.tolist() if np.isfinite(data.X).all() else _mark_special(data.X.tolist())


def _write_type(column: TypedColumn) -> dict[str, Any]:
    """A column as a program is told of it. A column of any text does not list the texts that an audit tries.

    >>> _write_type(Integer("age", 0, 120))
    {'name': 'age', 'type': 'integer', 'missing': False, 'low': 0, 'high': 120}
    """
    about = {"name": column.name, "type": type(column).__name__.lower(), "missing": column.missing}
    if isinstance(column, Number | Integer):
        return about | {"low": column.low, "high": column.high}
    return about | ({"values": list(column.values)} if isinstance(column, Category) else {})


def _read_type(stated: object) -> TypedColumn:
    """A column that a program declares.

    >>> _read_type({"name": "age", "type": "integer", "low": 0, "high": 120})
    Integer(name='age', low=0, high=120, missing=False)
    """
    kinds: dict[str, Any] = {kind.__name__.lower(): kind for kind in (Number, Integer, Boolean, Category, Text)}
    if not isinstance(stated, Mapping) or "name" not in stated:
        raise InvalidInput(
            f'a type must be an object with name and type, as in {{"name": "age", "type": "integer", "low": 0, '
            f'"high": 120}}, got {quote(stated)}'
        )
    kind = kinds[choice("type of a column", stated.get("type"), kinds)]
    given = {name: value for name, value in stated.items() if name != "type"}
    known = [one.name for one in fields(kind)]
    for name in given:
        if name not in known:
            raise UnknownName(f"part of the type {stated['type']}", str(name), known)
    absent = [one.name for one in fields(kind) if one.default is MISSING and one.name not in given]
    if absent:
        raise InvalidInput(f"the type of column {quote(stated['name'])} must have {absent[0]}, got none")
    made: TypedColumn = kind(**given)
    return made


def write_draw(slot: int, seeds: Sequence[SeedSequence]) -> bytes:
    """A request for one output per seed; a seed is written as four words of 32 bits, in hexadecimal digits.

    >>> write_draw(0, [SeedSequence(0)])[:50]
    b'{"type":"draw","slot":0,"count":1,"seeds":["b0f478'
    """
    words = ",".join([f'"{write_seed(seed)}"' for seed in seeds])
    return f'{{"type":"draw","slot":{slot},"count":{len(seeds)},"seeds":[{words}]}}\n'.encode()


def write_seed(seed: SeedSequence) -> str:
    """128 bits of a seed, as 32 hexadecimal digits."""
    return "{:08x}{:08x}{:08x}{:08x}".format(*seed.generate_state(4).tolist())


def read_object(line: bytes) -> dict[str, Any]:
    """The JSON object of a line.

    >>> read_object(b"loading weights")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a program must print one JSON object in each line of standard output, got 'loading \
weights'; print everything else to standard error
    """
    try:
        found = json.loads(line.decode())  # of text, which need not be searched for its encoding
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidInput(
            f"a program must print one JSON object in each line of standard output, got {_shorten(line)}; print "
            "everything else to standard error"
        )
    return found


def read_output(found: Mapping[str, Any], line: bytes) -> Callable[[], Any]:
    """The call that returns the output of a training, or raises what the training raised.

    >>> read_output({"output": [1, "NaN"]}, b"")()
    [1, nan]
    >>> read_output({"error": "ValueError", "message": "no rows"}, b"")()
    Traceback (most recent call last):
    ValueError: no rows
    """
    if "output" in found:
        value = found["output"]
        if not isinstance(value, float):
            value = _read_special(value)
        return lambda: value
    kind = found.get("error")
    if not isinstance(kind, str) or not kind.isprintable() or not 0 < len(kind) <= _LONGEST_NAME:
        raise InvalidInput(
            f'a program must answer each seed with {{"output": …}} or {{"error": "its name"}}, got {_shorten(line)}'
        )
    return Raised(kind, str(found.get("message", "")))


def check_done(line: bytes) -> None:
    """The line after the last answer.

    >>> check_done(b'{"type":"done"}')
    >>> check_done(b'{"output":7}')
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: a program must print one line for each seed and {"type":"done"} after the last, got \
'{"output":7}'
    """
    if read_object(line).get("type") != "done":
        raise InvalidInput(
            f'a program must print one line for each seed and {{"type":"done"}} after the last, got {_shorten(line)}'
        )


@dataclass(frozen=True)
class Raised:
    """A training that raised an exception in the program."""

    kind: str
    message: str

    def __call__(self) -> Any:
        """Raise an exception of that name."""
        raise type(self.kind, (Exception,), {"__module__": "builtins"})(self.message)  # so that it has no other name


def _write(message: Mapping[str, Any]) -> bytes:
    return (json.dumps(message, separators=(",", ":"), allow_nan=False) + "\n").encode()


def _mark_special(rows: list[list[float]]) -> list[list[Any]]:
    """NaN and infinities as texts: JSON has no numbers for them, and every language reads these texts as numbers."""
    names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return [[value if isfinite(value) else names[str(value)] for value in row] for row in rows]


def _read_special(value: Any) -> Any:
    """An output with the texts NaN, Infinity and -Infinity as numbers."""
    if isinstance(value, str):
        return _SPECIAL.get(value, value)
    if isinstance(value, list):
        return [one if isinstance(one, float) else _read_special(one) for one in value]
    return {name: _read_special(one) for name, one in value.items()} if isinstance(value, dict) else value


def _shorten(line: bytes) -> str:
    said = line[:200].decode(errors="replace")
    return repr(said if len(line) <= 200 else f"{said}…")
