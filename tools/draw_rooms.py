"""Draw the rooms of the package and their imports from the source itself: docs/rooms.svg.

    python tools/draw_rooms.py          # write docs/rooms.svg
    python tools/draw_rooms.py --check  # exit 1 if the committed drawing is not that of the source

A room stands below every room that it imports. An arrow that follows from others is left out: if a imports b and b
imports c, the drawing shows no arrow from a to c. Exceptions of `tools/rooms.py` are dashed.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rooms import PACKAGE, ROOMS, Edge, find_upward, read_edges, read_modules, room_edges, room_of

ROOT = Path(__file__).parents[1]
DRAWING = ROOT / "docs" / "rooms.svg"
# The first room of each group, in the order of ROOMS, and what the group is called.
GROUPS = {
    "errors": "values and names",
    "statistics": "statistics and learning",
    "drawing": "trainings",
    "attacks": "plug-in parts",
    "search": "audits",
    "report": "reports, tests and commands",
}
_BOX, _TALL, _GAP = 104.0, 30.0, 18.0  # of a room: width, height, distance to the next
_LANE = 16.0  # width of an arrow that passes between rooms
_ROW, _BAND = 62.0, 26.0  # height of a row of rooms, and room for the name of a group
_MARGIN = 24.0
_SWEEPS = 40
_STRAIGHT = 8  # weight of the links inside a long arrow
_SHAPES = """
  text { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif }
  .group { font-size: 12px }
  .import, .exception { fill: none; stroke-width: 1.3 }
  .exception { stroke-dasharray: 5 4 }"""
# Paper, band, room, its line, text, names of groups, arrows, exceptions. Plain colours: not every viewer knows var().
_COLOURS = """
  .paper { fill: %s } .band { fill: %s } .room { fill: %s; stroke: %s } text { fill: %s } .group { fill: %s }
  .import { stroke: %s } .head { fill: %s } .exception { stroke: %s } .oddhead { fill: %s }"""
_LIGHT = (
    "#ffffff",
    "#f1f4f8",
    "#ffffff",
    "#8a94a3",
    "#1b2330",
    "#5b6b82",
    "#64748b",
    "#64748b",
    "#b4540a",
    "#b4540a",
)
_DARK = ("#0f141b", "#18202b", "#243040", "#56657a", "#eef2f7", "#9aabc2", "#8fa1b9", "#8fa1b9", "#f0a35e", "#f0a35e")
_STYLE = f"{_SHAPES}{_COLOURS % _LIGHT}\n  @media (prefers-color-scheme: dark) {{{_COLOURS % _DARK}\n  }}\n"


@dataclass(frozen=True)
class Point:
    """The middle of a room, or of the lane of an arrow that passes it."""

    x: float
    y: float


def reduce_edges(edges: set[Edge], rooms: Sequence[str]) -> list[Edge]:
    """The edges that do not follow from others; each room imports only rooms that stand before it.

    >>> reduce_edges({("b", "a"), ("c", "b"), ("c", "a")}, ("a", "b", "c"))
    [('b', 'a'), ('c', 'b')]
    """
    reach: dict[str, set[str]] = {}
    for room in rooms:
        direct = {b for a, b in edges if a == room}
        reach[room] = direct.union(*(reach[b] for b in direct))
    return sorted((a, b) for a, b in edges if not any(b in reach[c] for x, c in edges if x == a))


def find_rows(edges: Sequence[Edge], rooms: Sequence[str], starts: Iterable[str]) -> dict[str, int]:
    """The row of each room: below every room that it imports, and below every group before its own.

    >>> find_rows([("b", "a"), ("d", "c")], ("a", "b", "c", "d"), ["a", "c"])
    {'a': 0, 'b': 1, 'c': 2, 'd': 3}
    """
    rows: dict[str, int] = {}
    first, heads = 0, set(starts)
    for room in rooms:
        if room in heads:
            first = max(rows.values(), default=-1) + 1
        rows[room] = max([first, *(rows[b] + 1 for a, b in edges if a == room)])
    return rows


def route_edges(edges: Sequence[Edge], rows: Mapping[str, int]) -> dict[Edge, list[str]]:
    """Each edge as a chain of nodes, one in every row that it passes.

    >>> route_edges([("c", "a")], {"a": 0, "c": 2})
    {('c', 'a'): ['c', 'c>a@1', 'a']}
    """
    return {(a, b): [a, *(f"{a}>{b}@{row}" for row in range(rows[a] - 1, rows[b], -1)), b] for a, b in edges}


def arrange_rows(rows: Mapping[str, int], chains: Iterable[Sequence[str]]) -> list[list[str]]:
    """The nodes of each row from left to right, with few crossings: each goes to the mean of its neighbours."""
    links = [link for chain in chains for link in pairwise(chain)]
    at = dict(rows) | {node: int(node.rpartition("@")[2]) for link in links for node in link if "@" in node}
    order = [[node for node in at if at[node] == row] for row in range(max(at.values()) + 1)]
    best = order
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        rank = {node: index / max(len(row) - 1, 1) for row in order for index, node in enumerate(row)}
        made = []
        for row in order if downwards else reversed(order):
            wanted = {
                node: _mean([rank[n] for n in _next_to(node, links, at, downwards)], rank[node]) for node in row
            }
            made.append(sorted(row, key=lambda node: (wanted[node], rank[node])))
            rank |= {node: index / max(len(row) - 1, 1) for index, node in enumerate(made[-1])}
        order = made if downwards else made[::-1]
        best = min(best, order, key=lambda tried: count_crossings(tried, links))
    return best


def _next_to(node: str, links: Sequence[Edge], at: Mapping[str, int], downwards: bool) -> list[str]:
    """The neighbours in the row above, or in the row below."""
    beside = [a if b == node else b for a, b in links if node in (a, b)]
    return [other for other in beside if (at[other] < at[node]) == downwards]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def count_crossings(order: Sequence[Sequence[str]], links: Sequence[Edge]) -> int:
    """How many pairs of arrows cross between two rows.

    >>> count_crossings([["a", "b"], ["c", "d"]], [("c", "b"), ("d", "a")])
    1
    """
    at = {node: (row, index) for row, nodes in enumerate(order) for index, node in enumerate(nodes)}
    ends = sorted((at[b][0], at[b][1], at[a][1]) for a, b in links)
    return sum(
        r == s and top < other_top and bottom > other_bottom
        for n, (r, top, bottom) in enumerate(ends)
        for s, other_top, other_bottom in ends[n + 1 :]
    )


def place_nodes(order: Sequence[Sequence[str]], links: Sequence[Edge], heights: Sequence[float]) -> dict[str, Point]:
    """A point for every node: near its neighbours, none upon another."""
    x = {node: index * (_BOX + _GAP) for row in order for index, node in enumerate(row)}
    for _ in range(_SWEEPS):
        for row in order:
            wanted = [_mean(_pulls(node, links, x), x[node]) for node in row]
            x |= dict(zip(row, _spread(row, wanted), strict=True))
    left = min(x[node] - _width(node) / 2 for node in x)
    return {node: Point(x[node] - left, heights[row]) for row, nodes in enumerate(order) for node in nodes}


def _pulls(node: str, links: Sequence[Edge], x: Mapping[str, float]) -> list[float]:
    """Where its neighbours draw a node; two lanes of one arrow draw more, so that the arrow is straight."""
    return [
        x[a if b == node else b]
        for a, b in links
        if node in (a, b)
        for _ in range(_STRAIGHT if "@" in a and "@" in b else 1)
    ]


def _width(node: str) -> float:
    return _LANE if "@" in node else _BOX


def _spread(row: Sequence[str], wanted: Sequence[float]) -> list[float]:
    """The places nearest to those wanted (least squares) that keep the order and the distances of a row."""
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (_width(left) + _width(right)) / 2 + _GAP)
    pools: list[list[float]] = []  # neighbours that touch share one shift
    for want, offset in zip(wanted, offsets, strict=True):
        pools.append([want - offset])
        while len(pools) > 1 and _mean(pools[-2], 0) >= _mean(pools[-1], 0):
            last = pools.pop()
            pools[-1] += last
    shifts = [_mean(pool, 0) for pool in pools for _ in pool]
    return [shift + offset for shift, offset in zip(shifts, offsets, strict=True)]


def draw(edges: Sequence[Edge], rooms: Sequence[str] = ROOMS, groups: Mapping[str, str] = GROUPS) -> str:
    """The drawing as SVG.

    Args:
        edges: Which module imports which.
        rooms: The rooms from top to bottom.
        groups: The name of each group by its first room.

    Returns:
        The text of an SVG file, the same for the same imports.
    """
    upward = {(room_of(a), room_of(b)) for a, b in find_upward(edges, rooms)}
    shown = reduce_edges(room_edges(edges) - upward, rooms)
    rows = find_rows(shown, rooms, groups)
    chains = route_edges(shown, rows)
    order = arrange_rows(rows, chains.values())
    heights = _row_heights(len(order), {rows[room] for room in groups})
    points = place_nodes(order, [link for chain in chains.values() for link in pairwise(chain)], heights)
    width = max(point.x + _width(node) / 2 for node, point in points.items()) + 2 * _MARGIN
    height = heights[-1] + _ROW / 2 + _MARGIN
    parts = [
        *_draw_bands(groups, rows, heights, width),
        *(_draw_import(a, b, [points[node] for node in chain]) for (a, b), chain in chains.items()),
        *(_draw_exception(a, b, points[a], points[b]) for a, b in sorted(upward)),
        *(_draw_room(room, points[room]) for room in rooms),
    ]
    return "\n".join([*_head(width, height), *parts, "</g>", "</svg>", ""])


def _row_heights(rows: int, starts: set[int]) -> list[float]:
    """The middle of each row; a group needs room for its name."""
    heights, at = [], _MARGIN / 2
    for row in range(rows):
        at += _BAND if row in starts else 0.0
        heights.append(at + _ROW / 2)
        at += _ROW
    return heights


def _head(width: float, height: float) -> list[str]:
    heads = [
        f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z" class="{name}"/></marker>'
        for name in ("head", "oddhead")
    ]
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="Rooms of {PACKAGE}">',
        f"<style>{_STYLE}</style>",
        f"<defs>{''.join(heads)}</defs>",
        '<rect class="paper" width="100%" height="100%"/>',
        f'<g transform="translate({_MARGIN:.0f} 0)">',
    ]


def _draw_bands(
    groups: Mapping[str, str], rows: Mapping[str, int], heights: Sequence[float], width: float
) -> Iterable[str]:
    starts = [rows[room] for room in groups]
    for (first, after), name in zip(pairwise([*starts, len(heights)]), groups.values(), strict=True):
        top, bottom = heights[first] - _ROW / 2 - _BAND + 6, heights[after - 1] + _ROW / 2 - 4
        yield (
            f'<rect class="band" x="{-_MARGIN / 2:.0f}" y="{top:.1f}" width="{width - _MARGIN:.1f}" '
            f'height="{bottom - top:.1f}" rx="8"/>'
        )
        yield f'<text class="group" x="{-_MARGIN / 2 + 10:.0f}" y="{top + 17:.1f}">{name}</text>'


def _draw_room(room: str, at: Point) -> str:
    return (
        f'<rect class="room" x="{at.x - _BOX / 2:.1f}" y="{at.y - _TALL / 2:.1f}" width="{_BOX:.0f}" '
        f'height="{_TALL:.0f}" rx="6"/>'
        f'<text x="{at.x:.1f}" y="{at.y + 5:.1f}" text-anchor="middle">{room}</text>'
    )


def _draw_import(importing: str, imported: str, points: Sequence[Point]) -> str:
    """From the top of a room, upwards through its lanes, to the bottom of the room it imports."""
    ends = [Point(points[0].x, points[0].y - _TALL / 2), *points[1:-1], Point(points[-1].x, points[-1].y + _TALL / 2)]
    path = f"M{ends[0].x:.1f} {ends[0].y:.1f}"
    for a, b in pairwise(ends):
        middle = (a.y + b.y) / 2
        path += f"C{a.x:.1f} {middle:.1f} {b.x:.1f} {middle:.1f} {b.x:.1f} {b.y:.1f}"
    title = f"<title>{importing} imports {imported}</title>"
    return f'<path class="import" d="{path}" marker-end="url(#head)">{title}</path>'


def _draw_exception(importing: str, imported: str, a: Point, b: Point) -> str:
    """Round the side of both rooms."""
    side = max(a.x, b.x) + _BOX / 2 + 2 * _GAP
    start, end = a.x + _BOX / 2, b.x + _BOX / 2 + 2
    path = f"M{start:.1f} {a.y:.1f}C{side:.1f} {a.y:.1f} {side:.1f} {b.y:.1f} {end:.1f} {b.y:.1f}"
    title = f"<title>{importing} imports {imported}, an exception</title>"
    return f'<path class="exception" d="{path}" marker-end="url(#oddhead)">{title}</path>'


def main(words: Sequence[str]) -> int:
    """Write the drawing, or compare it."""
    made = draw(read_edges(read_modules(ROOT / "src" / PACKAGE)))
    if "--check" not in words:
        DRAWING.write_text(made, encoding="utf-8")
        return 0
    same = DRAWING.is_file() and DRAWING.read_text(encoding="utf-8") == made
    print(
        "docs/rooms.svg is that of the source" if same else "docs/rooms.svg is out of date; run tools/draw_rooms.py"
    )
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
