"""Draw the outputs of an exhibit of the zoo on D and on D′, as a small SVG: broken and healthy side by side."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from mlaudit.testing.zoo import Exhibit
from mlaudit.types.dataset import Dataset

FloatArray = NDArray[np.float64]
_DRAWS, _SEED, _BINS = 400, 7, 32
_WIDE, _TALL, _GAP, _TOP, _BASE = 340, 120, 40, 26, 24  # of a panel, and the room around it
_STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #57606a }
  .d { fill: #0072b2; fill-opacity: .45 } .n { fill: #d55e00; fill-opacity: .45 }
  line { stroke: #8c959f }
  @media (prefers-color-scheme: dark) { text { fill: #adb5bd } .d { fill: #56b4e9 } .n { fill: #e69f00 } }"""


@dataclass(frozen=True)
class View:
    """One number of the output: how it is called, and its values on D and on D′."""

    name: str
    on_d: FloatArray
    on_neighbour: FloatArray

    @property
    def leak(self) -> float:
        """The largest log-ratio of the shares below or above a value, less 1.64 standard errors.

        NaN and infinities lie beyond all numbers.
        """
        both = [
            np.nan_to_num(side, nan=1e300, posinf=1e299, neginf=-1e299) for side in (self.on_d, self.on_neighbour)
        ]
        edges = np.unique(np.concatenate(both))
        below = [np.searchsorted(np.sort(side), edges, side="right") for side in both]
        tails = [(below[0] + 0.5, below[1] + 0.5), (len(both[0]) - below[0] + 0.5, len(both[1]) - below[1] + 0.5)]
        return max(float((np.abs(np.log(p / q)) - 1.64 * np.sqrt(1 / p + 1 / q)).max()) for p, q in tails)


def draw_exhibit(name: str, exhibit: Exhibit) -> str:
    """The drawing of one exhibit; both panels show the number that differs most where the mechanism is broken."""
    shown = exhibit.broken or exhibit.healthy
    views = list(_views(_outputs(shown, exhibit.pair.base), _outputs(shown, exhibit.pair.neighbour)))
    place = max(range(len(views)), key=lambda one: views[one].leak)
    healthy = list(
        _views(_outputs(exhibit.healthy, exhibit.pair.base), _outputs(exhibit.healthy, exhibit.pair.neighbour))
    )
    panels = [("healthy", healthy[min(place, len(healthy) - 1)])]
    if exhibit.broken is not None:
        panels = [("broken", views[place]), *panels]
    width = len(panels) * (_WIDE + _GAP)
    drawn = "".join(_panel(title, view, place * (_WIDE + _GAP)) for place, (title, view) in enumerate(panels))
    box = f"-{_GAP // 2} 0 {width} {_TOP + _TALL + _BASE}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width}" '
        f'role="img" aria-label="Outputs of {escape(name)} on D and on D′"><style>{_STYLE}\n</style>{drawn}</svg>\n'
    )


def _outputs(mechanism: Callable[..., object], data: Dataset) -> FloatArray:
    """A row for each training; every training has a seed of its own."""
    outputs = [np.ravel(np.asarray(mechanism(data, default_rng([_SEED, place])), float)) for place in range(_DRAWS)]
    longest = max(len(output) for output in outputs)
    return np.array([np.pad(output, (0, longest - len(output)), constant_values=np.nan) for output in outputs])


def _views(on_d: FloatArray, on_neighbour: FloatArray) -> Iterator[View]:
    """Every number of the output, and the place of its last set bit, where floating point may betray something."""
    count = min(on_d.shape[1], on_neighbour.shape[1])
    for place in range(count):
        name = f"number {place + 1} of {count} of the output" if count > 1 else "output"
        yield View(name, on_d[:, place], on_neighbour[:, place])
    yield View("place of the last set bit", _last_bits(on_d[:, 0]), _last_bits(on_neighbour[:, 0]))


def _last_bits(values: FloatArray) -> FloatArray:
    mantissa, exponent = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = (np.abs(mantissa) * 2.0**53).astype(np.int64)
    lowest = np.log2(np.maximum(whole & -whole, 1))
    return np.asarray(np.where(whole == 0, 0.0, exponent - 53 + lowest))


def _panel(title: str, view: View, left: int) -> str:
    ticks, counts = _count(view)
    top = max(1, *(max(side) for side in counts))
    step = _WIDE / len(ticks)
    bars = "".join(
        f'<rect class="{kind}" x="{left + place * step + 0.5:.1f}" y="{_TOP + _TALL * (1 - count / top):.1f}" '
        f'width="{step - 1:.1f}" height="{_TALL * count / top:.1f}"/>'
        for kind, side in zip("dn", counts, strict=True)
        for place, count in enumerate(side)
        if count
    )
    labels = "".join(
        _text(left + (place + 0.5) * step, _TOP + _TALL + 16, label, "middle")
        for place, label in enumerate(ticks)
        if label
    )
    heading = _text(left, 14, f"{title}: {view.name}")
    legend = "".join(
        f'<rect class="{kind}" x="{right}" y="5" width="10" height="10"/>{_text(right + 14, 14, name)}'
        for kind, right, name in (("d", left + _WIDE - 66, "D"), ("n", left + _WIDE - 32, "D′"))
    )
    axis = f'<line x1="{left}" x2="{left + _WIDE}" y1="{_TOP + _TALL}" y2="{_TOP + _TALL}"/>'
    return heading + legend + axis + bars + labels


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _count(view: View) -> tuple[list[str], list[list[int]]]:
    """Labels of the bars, and the height of each on D and on D′; a bar of its own for what is no finite number."""
    sides = (view.on_d, view.on_neighbour)
    finite = [side[np.isfinite(side)] for side in sides]
    values = np.unique(np.concatenate(finite))
    if len(values) <= _BINS // 2:
        labels = [f"{value:.4g}" for value in values]
        counts = [[int((side == value).sum()) for value in values] for side in finite]
    else:
        low, high = np.quantile(np.concatenate(finite), [0.005, 0.995])
        edges = np.linspace(low, high, _BINS + 1)
        labels = [f"{edges[0]:.3g}", *[""] * (_BINS - 2), f"{edges[-1]:.3g}"]
        counts = [np.histogram(np.clip(side, low, high), edges)[0].tolist() for side in finite]
    if any(len(some) < len(side) for some, side in zip(finite, sides, strict=True)):
        labels = [*labels, "NaN, ∞"]
        counts = [[*bars, len(side) - len(some)] for bars, some, side in zip(counts, finite, sides, strict=True)]
    return labels, counts
