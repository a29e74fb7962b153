"""Every cell as a line of CSV: flat columns, nothing that differs between two runs of the same sweep."""

import csv
import io
from collections.abc import Sequence
from operator import attrgetter

from mlaudit.report.cells import CellView
from mlaudit.report.multiplicity import Family

# fmt: off
_PLAIN = (
    "study", "kind", "mechanism", "data", "attack", "used", "label", "epsilon", "delta", "relation",
    "change", "rows", "steps", "params", "procedure", "method",
    "assuming", "trainings", "alpha", "seed", "replicate", "sampler", "detected", "ceiling", "verdict", "repeated",
    "detectable",
)
_NUMBERS = (
    "interval", "p1", "n", "coverage", "nominal", "repetitions", "non_sphericity", "influence",
    "mean_influence", "relative",
)
_LAST = ("stands_for", "versions", "notes", "command", "error")
# fmt: on
_NO_NUMBERS = ("",) * len(_NUMBERS)
COLUMNS = (*_PLAIN, "p_value", "p_holm", "stands_after_holm", *_NUMBERS, *_LAST)
_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")  # the wide ones, too: some spreadsheets take them for the others


def table(cells: Sequence[CellView], tests: Family) -> str:
    """The whole CSV, with a header; empty where a cell has no such value."""
    whole = io.StringIO()
    writer = csv.writer(whole, lineterminator="\n")
    writer.writerow(COLUMNS)
    first, last = attrgetter(*_PLAIN), attrgetter(*_LAST)
    for position, cell in enumerate(cells):
        values = [*first(cell), *_tests(position, tests), *_numbers(cell), *last(cell)]
        writer.writerow([value if type(value) is not str else escape(value) for value in values])
    return whole.getvalue()


def _tests(position: int, tests: Family) -> tuple[str, str, str]:
    if position not in tests.adjusted:
        return "", "", ""
    return _p(tests.plain[position]), _p(tests.adjusted[position]), str(tests.remains(position)).lower()


def _numbers(cell: CellView) -> tuple[object, ...]:
    if not cell.numbers:
        return _NO_NUMBERS
    return (cell.interval, *(cell.numbers.get(name, "") for name in _NUMBERS[1:]))


def _p(value: float) -> str:
    return f"{value:.6g}"


def escape(value: str) -> str:
    """A text that a spreadsheet would run as a formula gets the quote that keeps it text.

    >>> escape("=HYPERLINK(1)"), escape("iris")
    ("'=HYPERLINK(1)", 'iris')
    """
    return f"'{value}" if value[:1] in _FORMULA else value
