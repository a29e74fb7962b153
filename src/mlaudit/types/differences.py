"""The differences between D and D′ in words."""

from mlaudit.types.columns import Columns
from mlaudit.types.dataset import Dataset
from mlaudit.types.matching import RowMatch, find_changes
from mlaudit.types.numbers import measurement, plural
from mlaudit.types.pair import Pair

_ROWS, _NUMBERS = 3, 6  # rows, and numbers of each, that a reader takes in


def differences(pair: Pair) -> list[str]:
    """Describe each changed row in one line, the first few of them.

    >>> differences(Pair(Dataset([[0.0, 1.0], [2.0, 3.0]], [0, 1]), Dataset([[0.0, 1.0], [2.0, 9.5]], [0, 0])))
    ['row 1: [2, 3], label 1, became [2, 9.5], label 0']
    >>> differences(Pair(Dataset([0.0, 1.0]), Dataset([0.0, 1.0, 1.0])))
    ['row 2 was added: [1]']
    >>> differences(Pair(Dataset([0.0, 1.0], units=[7, 8]), Dataset([0.0, 2.0], units=[7, 8])))
    ['row 1 of unit 8: [1], became [2]']
    >>> from mlaudit.types.text_columns import Text
    >>> city = Columns([Text("city", ("Rome", "Oslo"), missing=True)])
    >>> differences(Pair(Dataset([0.0, 1.0], domain=city), Dataset([0.0, float("nan")], domain=city)))
    ["row 1: [city 'Oslo'], became [city None]"]
    """
    changes = find_changes(pair.base, pair.neighbour)
    lines = [_line(pair, change) for change in changes[:_ROWS]]
    more = len(changes) - _ROWS
    return lines if more <= 0 else [*lines, f"and {more} more like these"]


def _line(pair: Pair, change: RowMatch) -> str:
    before, after = _row(pair.base, change.base), _row(pair.neighbour, change.neighbour)
    if change.neighbour is None:
        return f"{_place(pair.base, change.base)} was removed: {before}"
    if change.base is None:
        return f"{_place(pair.neighbour, change.neighbour)} was added: {after}"
    return f"{_place(pair.base, change.base)}: {before}, became {after}"


def _place(data: Dataset, i: int | None) -> str:
    owner = "" if data.units is None or i is None else f" of {data.unit} {data.units[i].item()}"
    return f"row {i}{owner}"


def changed_text(pair: Pair) -> str:
    """How many rows were changed; with units, how many units, and how many rows they have.

    >>> changed_text(Pair(Dataset([0.0, 1.0]), Dataset([0.0, 2.0])))
    '1 row'
    >>> changed_text(Pair(Dataset([0.0, 1.0], units=[7, 7]), Dataset([1.0, 2.0], units=[7, 7])))
    '1 unit (2 rows)'
    """
    if pair.base.units is None:
        return plural(pair.rows, "row")
    changed = len(find_changes(pair.base, pair.neighbour))
    return f"{plural(pair.rows, 'unit')} ({plural(changed, 'row')})"


def _row(data: Dataset, i: int | None) -> str:
    if i is None:
        return ""
    shown = ", ".join(_values(data, i)[:_NUMBERS])
    what = "values" if isinstance(data.domain, Columns) else "numbers"
    more = f", … {data.X.shape[1]} {what}" if data.X.shape[1] > _NUMBERS else ""
    return f"[{shown}{more}]" + ("" if data.y is None else f", label {data.y[i].item()!r}")


def _values(data: Dataset, i: int) -> list[str]:
    """The values of a row as a person reads them; those of a typed table with the names of their columns."""
    if not isinstance(data.domain, Columns):
        return [measurement(value, 6) for value in data.X[i, :_NUMBERS]]
    [row] = data.domain.read_rows(data.X[i : i + 1])
    return [f"{name} {value!r}" for name, value in zip(data.domain.names, row, strict=True)]
