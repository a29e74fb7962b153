"""Logarithmic axes with a line of their own for 0, below all other values."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from mlaudit.report.figures._sketch import INK
from mlaudit.types.numbers import parameter

_LEAST = 1e-3  # what is less is drawn as nothing: three decades below an ε of 1 nobody reads a value
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class LogScale:
    """From `low` to `high`, with 0 at `zero` if there is any."""

    low: float
    high: float
    zero: float | None

    @classmethod
    def over(cls, values: Sequence[float], least: float = _LEAST) -> "LogScale":
        """Wide enough for all values.

        >>> LogScale.over([0.0, 0.1, 20.0])
        LogScale(low=0.02, high=30.0, zero=0.03)
        """
        there = [value for value in values if value >= least]
        low, high = min(there, default=0.1), max(there, default=1.0)
        nothing = any(value < least for value in values)
        return cls(low / 5 if nothing else low / 1.5, high * 1.5, 0.3 * low if nothing else None)

    def position(self, value: float) -> float:
        """Where a value is drawn."""
        return value if self.zero is None or value > self.zero else self.zero

    def shows(self, value: float) -> bool:
        """Whether a value is drawn at its own position, not on the line for 0."""
        return self.zero is None or value > self.zero

    def apply(self, axes: Any, which: str) -> None:
        """Set scale, limits and ticks of an axis; `which` is x or y."""
        decades = [10.0**n for n in range(ceil(log10(self.low)), floor(log10(self.high)) + 1)]
        decades = [tick for tick in decades if self.zero is None or tick > self.zero * 2.5]
        if len(decades) < 2:
            decades = sorted({*decades, *(tick for tick in _ticks_between(self.low, self.high) if self.shows(tick))})
        zero = [] if self.zero is None else [self.zero]
        labels = ["0"] * len(zero) + [tick_label(tick) for tick in decades]
        getattr(axes, f"set_{which}scale")("log")
        getattr(axes, f"set_{which}lim")(self.low, self.high)
        axis = getattr(axes, f"{which}axis")
        axis.set_ticks([*zero, *decades], labels=labels)
        axis.set_ticks([], minor=True)
        if zero:
            line = axes.axhline if which == "y" else axes.axvline
            line(self.zero, color=INK, alpha=0.35, lw=0.6, ls=(0, (1, 2)), zorder=1)


def tick_label(value: float) -> str:
    """A number as an axis says it.

    >>> tick_label(0.1), tick_label(100.0), tick_label(1e-6), tick_label(2e-5)
    ('0.1', '100', '10⁻⁶', '2·10⁻⁵')
    """
    if 1e-3 <= value < 1e5:
        return parameter(value)
    power = floor(log10(value) + 1e-9)
    digits, exponent = round(value / 10.0**power, 3), str(power).translate(_SUPERSCRIPT)
    return f"10{exponent}" if digits == 1 else f"{parameter(digits)}·10{exponent}"


def _ticks_between(low: float, high: float) -> list[float]:
    """Ones, twos and fives in between."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    return [m * 10.0**n for n in powers for m in (1, 2, 5) if low <= m * 10.0**n <= high]
