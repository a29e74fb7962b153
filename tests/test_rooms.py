"""The floor plan: each room imports only rooms that stand above it in `tools/rooms.py`."""

import re
from collections import Counter
from pathlib import Path

from rooms import ALLOWED, ROOMS, find_knots, find_upward, read_edges, read_modules, room_edges, room_of

import mlaudit
from mlaudit.naming import codec

ROOT = Path(mlaudit.__file__).parent
MODULES = read_modules(ROOT)
EDGES = read_edges(MODULES)


def test_every_room_imports_only_rooms_above_it() -> None:
    against = [
        f"{a} (room {room_of(a)}) imports {b}: {room_of(a)} stands above {room_of(b)} in tools/rooms.py"
        for a, b in find_upward(EDGES)
        if (a, b) not in ALLOWED
    ]
    assert not against, "; ".join(against)


def test_every_exception_is_still_needed() -> None:
    assert set(ALLOWED) <= set(find_upward(EDGES))


def test_every_room_is_in_the_order_and_no_other() -> None:
    assert {room_of(name) for name in MODULES if name} == set(ROOMS)


def test_no_rooms_import_each_other_in_a_circle() -> None:
    assert find_knots(room_edges([edge for edge in EDGES if edge not in ALLOWED])) == []


def test_a_class_that_files_may_name_has_one_home() -> None:
    """Result files name a class without its module."""
    paths = [path for room in codec.ROOMS for path in (ROOT / room).glob("*.py")]
    names = Counter(
        name for path in paths for name in re.findall(r"^class (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []
