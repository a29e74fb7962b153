"""The floor plan: each room imports only rooms that stand above it in `tools/rooms.py`."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from rooms import ALLOWED, ROOMS, Edge, find_knots, find_upward, read_edges, read_modules, room_edges, room_of

import mlaudit
from mlaudit.naming import codec

ROOT = Path(mlaudit.__file__).parent
Modules = dict[str, ast.Module]


@pytest.fixture(scope="module")
def modules() -> Modules:
    return read_modules(ROOT)


@pytest.fixture(scope="module")
def edges(modules: Modules) -> list[Edge]:
    return read_edges(modules)


def test_every_room_imports_only_rooms_above_it(edges: list[Edge]) -> None:
    against = [
        f"{a} (room {room_of(a)}) imports {b}: {room_of(a)} stands above {room_of(b)} in tools/rooms.py"
        for a, b in find_upward(edges)
        if (a, b) not in ALLOWED
    ]
    assert not against, "; ".join(against)


def test_every_exception_is_still_needed(edges: list[Edge]) -> None:
    assert set(ALLOWED) <= set(find_upward(edges))


def test_every_room_is_in_the_order_and_no_other(modules: Modules) -> None:
    assert {room_of(name) for name in modules if name} == set(ROOMS)


def test_no_rooms_import_each_other_in_a_circle(edges: list[Edge]) -> None:
    assert find_knots(room_edges([edge for edge in edges if edge not in ALLOWED])) == []


def test_a_class_that_files_may_name_has_one_home() -> None:
    """Result files name a class without its module."""
    paths = [path for room in codec.ROOMS for path in (ROOT / room).glob("*.py")]
    names = Counter(
        name for path in paths for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []
