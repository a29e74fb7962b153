"""What figures share: paper and ink, marks that say their values, and lines told apart without colour."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from warnings import catch_warnings, filterwarnings

from mlaudit.errors import MissingExtra

INK = "#1c2024"  # what is drawn in this colour follows the page's text, light or dark
# Okabe and Ito's colours, told apart by the colour-blind, in an order that keeps neighbours far apart.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a name with a $ is a name
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "legend.fontsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.4,
    "figure.dpi": 100,
} | dict.fromkeys(
    ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "axes.titlecolor"), INK
)


@dataclass(frozen=True)
class Point:
    """A mark of a figure in numbers: the mean over `count` cells, and their range."""

    panel: str
    series: str
    x: float | str
    y: float
    low: float
    high: float
    count: int


@dataclass
class Sketch:
    """A figure being drawn: matplotlib's own, what each mark says when pointed at, and its numbers."""

    figure: Any
    caption: str = ""
    x: str = "x"
    y: str = "y"
    points: list[Point] = field(default_factory=list)
    titles: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def mark(self, axes: Any, at: Sequence[tuple[float, float]], says: Sequence[str], **style: Any) -> None:
        """Markers without a line, each with what it says when pointed at."""
        if not at:
            return
        name = f"mark{len(self.titles)}"
        self.titles[name] = tuple(says)
        whole = {"ls": "", "ms": 4.5, "mew": 1.1, "clip_on": False, "zorder": 4, **style}
        axes.plot([x for x, _ in at], [y for _, y in at], gid=name, **whole)


@contextmanager
def report_settings(salt: str = "mlaudit") -> Iterator[Any]:
    """Matplotlib's Figure under the report's settings, and in peace about letters that its font lacks."""
    try:
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtra("matplotlib", "report") from None
    with mpl.rc_context({**_SETTINGS, "svg.hashsalt": salt}), catch_warnings():
        filterwarnings("ignore", message="Glyph")
        filterwarnings("ignore", message="constrained_layout not applied")
        yield Figure


def sketch(width: float, height: float, **said: Any) -> Sketch:
    """An empty figure, in inches; only inside `report_settings()`."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

    return Sketch(Figure(figsize=(width, height)), **said)


def arrange(drawn: Sketch) -> None:
    """Lay the figure out, once for every kind of file: as an engine of the figure it would be done for each."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415 - an extra

    ConstrainedLayoutEngine().execute(drawn.figure)


def line_style(position: int) -> dict[str, Any]:
    """Colour and marker of the line at that position."""
    return {"color": PALETTE[position % len(PALETTE)], "marker": MARKERS[position % len(MARKERS)]}


def grid_lines(axes: Any) -> None:
    """Faint lines to read values by."""
    axes.grid(visible=True, color=INK, alpha=0.12, lw=0.6)
    axes.tick_params(length=3, width=0.6)


def legend_above(drawn: Sketch, handles: Sequence[Any], labels: Sequence[str], columns: int) -> None:
    """A legend over the whole figure, beside no data; names that start with _ are names, too."""
    names = [f" {label}" if label.startswith("_") else label for label in labels]
    drawn.figure.legend(
        handles,
        names,
        loc="outside upper left",
        ncols=columns,
        handlelength=2.2,
        columnspacing=1.4,
        borderaxespad=0.2,
    )


def line_handle(**style: Any) -> Any:
    """What a legend shows of a line."""
    from matplotlib.lines import Line2D  # noqa: PLC0415 - an extra

    return Line2D([], [], **style)


def shorten(name: str, most: int = 36) -> str:
    """A long name with its middle left out, so that it fits where it is written.

    >>> shorten("a/long/path/to/some/file/of/people.csv", 20)
    'a/long/pa…people.csv'
    """
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[len(name) - (most - 1 - half) :]}"
