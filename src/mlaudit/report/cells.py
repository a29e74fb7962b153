"""A row of a sweep as the report needs it: flat, small, and with nothing in it that could break a page."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple

from mlaudit.results.verdict import read_verdict
from mlaudit.types.row import Row

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_MEASURED = {
    "influence": ("non_sphericity", "influence", "mean_influence", "relative"),
    "coverage": ("p1", "n", "coverage", "nominal", "repetitions"),
}
# What shlex.join makes of words: plain characters, '…', and "'" for a quote.
_QUOTED = re.compile(r"""mlaudit(?: (?:[A-Za-z0-9_@%+=:,./-]|'[^'\n]*'|"'")+)+""")
_CONTROL = {code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n"}


class CellView(NamedTuple):
    """What was asked of a cell and what it said; numbers that were not given are None, texts are empty.

    A named tuple, since a hundred thousand of them are made: a frozen dataclass takes twice as long.
    """

    study: str
    kind: str
    mechanism: str
    data: str
    attack: str
    used: str
    label: str
    epsilon: float | None
    delta: float
    gaussian: bool
    relation: str
    change: str
    rows: float | None
    steps: int
    params: str
    procedure: str
    method: str
    assuming: str
    interval: str
    trainings: float | None
    alpha: float | None
    seed: float | None
    replicate: float | None
    sampler: str
    detected: float | None
    ceiling: float | None
    detectable: float | None
    verdict: str
    repeated: float | None
    stands_for: str
    versions: str
    notes: str
    command: str
    error: str
    evidence: Mapping[str, Any]
    numbers: Mapping[str, float]

    @property
    def audited(self) -> bool:
        """Whether this is an audit that came to an end."""
        return self.kind == "audit" and not self.error

    @property
    def violated(self) -> bool:
        """Whether this is an audit whose verdict is that the claim is violated."""
        return self.audited and self.verdict == "violated"

    @property
    def series(self) -> str:
        """The line of a figure that the cell belongs to."""
        return self.label or ("ours" if self.attack == "auto" else self.attack)

    @property
    def attack_shown(self) -> str:
        """The attack by name; `ours` where the audit took the learner's own."""
        return f"ours ({self.used})" if self.attack == "auto" and self.used else self.attack or self.used


def cell_of(row: Row) -> CellView:
    """The flat form of a row; one that says neither a result nor an error becomes an error.

    >>> cell = cell_of(Row("s", "audit", {"attack": "auto"}, {"error": "data must be given"}, 0.0))
    >>> cell.error, cell.series, cell.audited
    ('data must be given', 'ours', False)
    """
    said = row.values
    stated = said.get("claim")
    claim: Mapping[str, Any] = stated if isinstance(stated, Mapping) else _NOTHING
    asked = {**claim, **{name: value for name, value in row.settings.items() if value is not None}}
    epsilon, detected = number(asked.get("epsilon")), number(said.get("epsilon_lower"))
    measured = {name: number(row.at(name)) for name in _MEASURED.get(row.kind, ())}
    numbers = {name: value for name, value in measured.items() if value is not None}
    verdict = text(read_verdict(said, epsilon))
    return CellView(
        study=text(row.study),
        kind=text(row.kind),
        mechanism=text(asked.get("mechanism", said.get("mechanism"))),
        data=text(asked.get("data", said.get("dataset"))),
        attack=text(asked.get("attack", said.get("attack"))),
        used=text(said.get("attack")),
        label=text(asked.get("label")),
        epsilon=epsilon,
        delta=number(asked.get("delta")) or 0.0,
        gaussian=bool(claim.get("gaussian", False)),
        relation=text(asked.get("relation")),
        change=text(asked.get("change")),
        rows=number(said.get("rows", asked.get("rows"))),
        steps=int(number(said.get("steps")) or 1),
        params=text(asked.get("param") or ""),
        procedure=_procedure(asked, said),
        method=text(said.get("method")),
        assuming=text(said.get("assuming")),
        interval=text(asked.get("interval")),
        trainings=number(said.get("trainings", asked.get("trainings"))),
        alpha=number(said.get("alpha", asked.get("alpha"))),
        seed=number(said.get("seed", asked.get("seed"))),
        replicate=number(asked.get("replicate")),
        sampler=text(said.get("sampler", asked.get("sampler"))),
        detected=detected,
        ceiling=number(said.get("ceiling")),
        detectable=number(said.get("detectable")),
        verdict=verdict,
        repeated=number(said.get("repeated_epsilon_lower", said.get("confirmed_epsilon_lower"))),
        stands_for=text(said.get("stands_for")),
        versions=_versions(said.get("versions")),
        notes=text("; ".join(map(str, said.get("notes") or ()))),
        command=command(said.get("command")),
        error=_error(row, epsilon, detected, numbers),
        # Only a bound above the claim needs its counts again; a hundred thousand others would fill the memory.
        evidence=said.get("evidence", _NOTHING) if verdict == "violated" else _NOTHING,
        numbers=numbers or _NOTHING,
    )


def number(value: object) -> float | None:
    """A finite number, or None.

    >>> number(True), number("1"), number(float("inf")), number(2)
    (None, None, None, 2)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if isfinite(value) else None
    except OverflowError:  # a whole number of hundreds of digits, in somebody's file
        return None


def text(value: object) -> str:
    """Text without characters that no page or picture can hold; anything else as JSON.

    >>> text("a" + chr(0)) == "a" + chr(0xFFFD), text({"b": 1}), text(None)
    (True, '{"b": 1}', '')
    """
    if value is None:
        return ""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return _clean(plain)


def command(value: object) -> str:
    """A command of mlaudit with every word quoted, else nothing: a reader may paste it into a shell.

    >>> command("mlaudit run laplace --param 'a=b c'"), command("mlaudit run x; rm -rf ~"), command("mlaudit $(id)")
    ("mlaudit run laplace --param 'a=b c'", '', '')
    """
    plain = text(value)
    return plain if _QUOTED.fullmatch(plain) else ""


@lru_cache(maxsize=4096)  # the same few names in every row: kept once, cleaned once
def _clean(plain: str) -> str:
    return plain if plain.isprintable() else plain.translate(_CONTROL).encode("utf-8", "replace").decode("utf-8")


def _procedure(asked: Mapping[str, Any], said: Mapping[str, Any]) -> str:
    name = text(asked.get("procedure") or said.get("procedure"))
    return f"{name or 'two_phase'} (as in the paper)" if asked.get("paper") else name


def _versions(found: object) -> str:
    if not isinstance(found, Mapping):
        return text(found)
    return _join_versions(tuple(f"{k} {v}" for k, v in found.items()))


@lru_cache(maxsize=256)
def _join_versions(parts: tuple[str, ...]) -> str:
    return text(", ".join(sorted(parts)))


def _error(row: Row, epsilon: float | None, detected: float | None, numbers: Mapping[str, float]) -> str:
    if row.values.get("error"):
        return text(row.values["error"])
    whole = (epsilon is not None and detected is not None) if row.kind == "audit" else bool(numbers) or not row.values
    return "" if whole else "the row must hold a result or an error, got neither; measure the cell again"
