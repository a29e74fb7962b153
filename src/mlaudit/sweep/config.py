"""A TOML file as a sweep: what is common to all cells, the grids, and what is set otherwise where.

    title = "Specified and detected ε"
    figure = "specified_detected"   # how the report draws it
    replicates = 3                  # each with a seed of its own: seed, seed + 1, …
    seed = 0

    [common]                        # in every cell
    trainings = 40000

    [grid]                          # a cell for every combination; [[grid]] for several grids
    kind = "audit"                  # the default
    mechanism = ["naive_bayes", "logistic_objective"]
    data = ["iris", "breast_cancer"]
    epsilon = [0.1, 1, 10]

    [[override]]                    # the last one that applies wins
    where = { mechanism = "logistic_objective", epsilon = [1, 10] }
    set = { param = { C = 10 } }    # or: skip = true

Settings of an audit are the options of `mlaudit run`, with _ for -. A list in a grid is an axis; what an option takes
several of is written as there: attack = "influence,coefficient", rows = "1,2,4".

A sweep file may name code (mechanism = "mine.py:learner"), which runs when the file is run or planned: read a file
from somebody else first. What a sweep leaves behind is data, and no report runs it; a figure must be installed.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlaudit.errors import InvalidInput, UnknownName
from mlaudit.naming.plugins import names
from mlaudit.types.checks import quote, whole
from mlaudit.types.row import Study

_KEYS = ("title", "about", "figure", "replicates", "seed", "common", "grid", "override")
_OVERRIDE = ("where", "set", "skip")


@dataclass(frozen=True)
class Override:
    """What is set where all of `where` holds; `skip` leaves the cell out."""

    where: Mapping[str, tuple[Any, ...]]
    set: Mapping[str, Any]
    skip: bool = False


@dataclass(frozen=True)
class Grid:
    """Every combination of these values is a cell of that kind."""

    kind: str
    axes: Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class Sweep:
    """A sweep file, read and checked."""

    study: Study
    common: Mapping[str, Any]
    grids: tuple[Grid, ...]
    overrides: tuple[Override, ...] = field(default=())
    replicates: int = 1
    seed: int = 0


def read_sweep(path: Path) -> Sweep:
    """The sweep in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} must be a readable sweep file, got: {error}") from error
    return parse_sweep(text, path.stem, str(path))


def parse_sweep(text: str, name: str, source: str) -> Sweep:
    """The sweep that a text describes.

    >>> sweep = parse_sweep("grid = { mechanism = ['laplace'], epsilon = [1, 2] }", "small", "small.toml")
    >>> sweep.grids
    (Grid(kind='audit', axes={'mechanism': ('laplace',), 'epsilon': (1, 2)}),)
    >>> parse_sweep("[gird]", "small", "small.toml")
    Traceback (most recent call last):
    mlaudit.errors.InvalidInput: small.toml: no key of a sweep is called 'gird'; did you mean 'grid'?
    """
    try:
        whole_file = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number may have too many digits, and tables be nested too deep
        raise InvalidInput(f"{source} must be a TOML file, got: {error}") from error
    try:
        return _read_sweep(whole_file, name)
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from error


def _read_sweep(given: dict[str, Any], name: str) -> Sweep:
    _check_known("key of a sweep", given, _KEYS)
    text = {key: _expect(str, key, given.get(key, "")) for key in ("title", "about", "figure")}
    if text["figure"]:
        _check_known("figure", [text["figure"]], names("figures"))
    replicates, seed = given.get("replicates", 1), given.get("seed", 0)
    whole("replicates", replicates, 1)
    whole("seed", seed, 0)
    grids = given.get("grid", {})
    grids = grids if isinstance(grids, list) else [grids]
    overrides = _expect(list, "override", given.get("override", []))
    return Sweep(
        study=Study(name, text["title"] or name, text["about"], text["figure"]),
        common=_expect(dict, "common", given.get("common", {})),
        grids=tuple(_read_grid(_expect(dict, "grid", grid)) for grid in grids),
        overrides=tuple(_read_override(_expect(dict, "override", o)) for o in overrides),
        replicates=replicates,
        seed=seed,
    )


def _read_override(given: dict[str, Any]) -> Override:
    _check_known("key of an override", given, _OVERRIDE)
    where = _expect(dict, "where", given.get("where", {}))
    if not where or not ({"set", "skip"} & given.keys()):
        raise InvalidInput("an override needs where = {…}, and set = {…} or skip = true")
    return Override(
        {key: tuple(_list(value)) for key, value in where.items()},
        _expect(dict, "set", given.get("set", {})),
        _expect(bool, "skip", given.get("skip", False)),
    )


def _read_grid(given: dict[str, Any]) -> Grid:
    axes = {name: tuple(_list(values)) for name, values in given.items() if name != "kind"}
    for name, values in axes.items():
        if not values:
            raise InvalidInput(f"an axis of a grid needs at least one value, got none for {name}")
    return Grid(_expect(str, "kind", given.get("kind", "audit")), axes)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _check_known(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for name in given:
        if name not in known:
            raise UnknownName(what, name, known)


def _expect(kind: type, name: str, value: Any) -> Any:
    words = {str: "text", dict: "a table", list: "an array of tables, [[…]]", bool: "true or false"}
    if not isinstance(value, kind):
        raise InvalidInput(f"{name} must be {words[kind]}, got {quote(value)}")
    return value
