"""The rooms of the package and what they import: the order that `tests/test_rooms.py` holds, counted from the source.

    python tools/rooms.py                 # rooms, flat modules, knots and edges against the order
    python tools/rooms.py PATH/TO/mlaudit # the same of another version

A room is a folder of the package, or one of the few modules that stand beside them. A room may import only rooms that
stand above it in ROOMS.
"""

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

PACKAGE = "mlaudit"
ROOMS = (
    "errors",
    "types",
    "protocols",
    "naming",
    "statistics",
    "intervals",
    "classifiers",
    "distinguish",
    "drawing",
    "adapters",
    "kernels",
    "attacks",
    "datasets",
    "dp_sgd",
    "mechanisms",
    "procedures",
    "trainers",
    "samplers",
    "search",
    "results",
    "auditing",
    "witness",
    "scanning",
    "tracing",
    "refuting",
    "library",
    "canaries",
    "sweep",
    "report",
    "testing",
    "cli",
    "__main__",
)
# Edges that point downwards all the same, each with its reason.
ALLOWED = {
    ("attacks.search", "search.run"): "this attack is the search, which tries every other attack",
}

Edge = tuple[str, str]  # the importing module and the imported one, without the package's name


def read_modules(root: Path) -> dict[str, ast.Module]:
    """Every module below a package's folder by its dotted name, without the package's own name."""
    found = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def read_edges(modules: Mapping[str, ast.Module]) -> list[Edge]:
    """Every import of one module of the package by another, lazy ones included; the package's own file is left out.

    >>> both = {"a": ast.parse("from mlaudit.b.c import d"), "b.c": ast.parse("d = 1")}
    >>> read_edges(both)
    [('a', 'b.c')]
    """
    edges = {(name, target) for name, tree in modules.items() if name for target in _imported(tree, modules)}
    return sorted((a, b) for a, b in edges if a != b)


def _imported(tree: ast.Module, modules: Mapping[str, ast.Module]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE:
            home = (node.module or "").partition(".")[2]
            for alias in node.names:
                inner = f"{home}.{alias.name}" if home else alias.name
                if inner in modules or home:
                    yield inner if inner in modules else home
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package, _, name = alias.name.partition(".")
                if package == PACKAGE and name:
                    yield name


def room_of(module: str) -> str:
    """The room that a module lies in.

    >>> room_of("drawing.engines._isolated"), room_of("errors")
    ('drawing', 'errors')
    """
    return module.partition(".")[0]


def find_upward(edges: Sequence[Edge], rooms: Sequence[str] = ROOMS) -> list[Edge]:
    """The edges to a room that does not stand above the importing one.

    >>> find_upward([("naming.codec", "types.claim"), ("types.claim", "cli.run")])
    [('types.claim', 'cli.run')]
    """
    rank = {room: index for index, room in enumerate(rooms)}
    unknown = len(rooms)
    return [
        (a, b)
        for a, b in edges
        if room_of(a) != room_of(b) and rank.get(room_of(b), unknown) >= rank.get(room_of(a), -1)
    ]


def room_edges(edges: Sequence[Edge]) -> set[Edge]:
    """Which room imports which other."""
    return {(room_of(a), room_of(b)) for a, b in edges if room_of(a) != room_of(b)}


def find_knots(edges: set[Edge]) -> list[list[str]]:
    """Groups of rooms that import each other in circles.

    >>> find_knots({("a", "b"), ("b", "a"), ("b", "c")})
    [['a', 'b']]
    """
    reach = {a: {b for x, b in edges if x == a} for a, _ in edges}
    for _ in reach:
        reach = {a: targets.union(*(reach.get(b, set()) for b in targets)) for a, targets in reach.items()}
    mutual = {a: sorted(b for b in targets if a in reach.get(b, set())) for a, targets in reach.items()}
    groups = {tuple(group) for group in mutual.values() if len(group) > 1}
    return [list(group) for group in sorted(groups, key=lambda group: (-len(group), group))]


def main() -> None:
    """Print what a reviewer asks first."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src" / PACKAGE
    modules = read_modules(root)
    edges = read_edges(modules)
    folders = sorted({room_of(name) for name in modules if "." in name})
    flat = sorted(name for name in modules if name and "." not in name and name not in folders)
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in root.rglob("*.py"))
    print(f"files {len(modules)}, lines {lines}")
    print(f"top-level entries {len(folders) + len(flat)}: {len(folders)} folders, {len(flat)} modules")
    knots = find_knots(room_edges([edge for edge in edges if edge not in ALLOWED]))
    print(f"knots {len(knots)}: {'; '.join(' '.join(knot) for knot in knots)}")
    for a, b in find_upward(edges):
        print(f"upwards: {a} imports {b}{'  (allowed)' if (a, b) in ALLOWED else ''}")


if __name__ == "__main__":
    main()
