"""The data card in words: lines for the console, rows for a report, plain data for programs."""

from collections.abc import Iterator, Sequence
from typing import Any

from mlaudit.types.card import AS_IT_IS, ColumnCard, DataCard, list_dropped, list_some
from mlaudit.types.numbers import count, measurement, plural

_TYPES = 4  # columns whose types a console lists
_ENCODED = {
    "number": "number",
    "boolean": "boolean, as 0 or 1",
    "date": "date, as days since 1970-01-01",
}


def card_lines(card: DataCard | None) -> list[str]:
    """Two or three lines for the console; none without a card.

    >>> columns = (ColumnCard("id", dropped="identifier"), ColumnCard("age", "number"))
    >>> card = DataCard("toy.csv", 9, 8, (("with a missing value", 1),), columns, 1, "plan", (("a", 5), ("b", 3)))
    >>> print(*card_lines(card), sep=chr(10))
      data        toy.csv: 8 of 9 rows, 1 of 2 columns, label 'plan' in 2 classes (a: 5, b: 3)
      left out    rows: 1 with a missing value; columns: id (identifier)
      encoded     1 number; scaled to [0, 1]
    """
    if card is None:
        return []
    rows, columns = _of(card.rows, card.rows_read, "row"), _of(len(card.kept), len(card.columns), "column")
    lost = [f"rows: {list_some([f'{count(number)} {why}' for why, number in card.rows_dropped])}"] * bool(
        card.rows_dropped
    )
    if card.dropped:
        lost.append(f"columns: {list_dropped(card.dropped)}")
    return [
        f"  data        {card.source}: {rows}, {columns}, {_label(card)}",
        *([f"  left out    {'; '.join(lost)}"] if lost else []),
        f"  typed       {_types(card)}"
        if is_typed(card)
        else f"  encoded     {_encodings(card)}; {scaling_text(card)}",
    ]


def card_unit_lines(card: DataCard | None) -> list[str]:
    """The line about the unit, if rows have owners."""
    return [] if card is None or card.unit is None else [f"  unit        {card.unit}"]


def is_typed(card: DataCard) -> bool:
    """Whether the columns were passed as they are."""
    return any(column.encoding == AS_IT_IS for column in card.kept)


def _types(card: DataCard) -> str:
    """Each column with its legal values."""
    more = len(card.kept) - _TYPES
    said = [f"{column.name}: {column.levels[0]}" for column in card.kept[:_TYPES]]
    return "; ".join([*said, f"and {more} more"] if more > 0 else said)


def _of(kept: int, read: int, noun: str) -> str:
    return plural(kept, noun) if kept == read else f"{count(kept)} of {plural(read, noun)}"


def _label(card: DataCard) -> str:
    if not card.label:
        return "no label"
    if card.label_range is not None:
        low, high = card.label_range
        return f"label {card.label!r}, numbers from {measurement(low)} to {measurement(high)}"
    there = len(card.classes) + len(card.classes_dropped)
    number = f"{len(card.classes)} of {there}" if card.classes_dropped else f"{len(card.classes)}"
    return (
        f"label {card.label!r} in {number} classes ({list_some([f'{name}: {count(n)}' for name, n in card.classes])})"
    )


def _encodings(card: DataCard) -> str:
    kinds = {kind: [column for column in card.kept if column.encoding == kind] for kind in (*_ENCODED, "one-hot")}
    said = [
        plural(len(kinds["number"]), "number") if kinds["number"] else "",
        f"{_names(kinds['boolean'])} as 0 or 1" if kinds["boolean"] else "",
        f"{_names(kinds['date'])} as days" if kinds["date"] else "",
    ]
    if kinds["one-hot"]:
        numbers = card.features - sum(len(kinds[kind]) for kind in _ENCODED)
        said.append(f"{_names(kinds['one-hot'])} one-hot ({plural(numbers, 'number')})")
    imputed = sum(column.imputed for column in card.kept if column.encoding != "one-hot")
    if imputed:
        said.append(f"{plural(imputed, 'missing number')} replaced by {card.missing}")
    return "; ".join(filter(None, said))


def _names(columns: Sequence[ColumnCard]) -> str:
    return list_some([column.name for column in columns])


def scaling_text(card: DataCard) -> str:
    """How columns were scaled."""
    return "scaled to [0, 1]" if card.scale == "unit" else "in their own units"


def missing_text(card: DataCard) -> str:
    """What was done about missing values."""
    if is_typed(card):
        return "the learner sees them as they are"
    if card.missing == "drop":
        return "rows with a missing value are dropped"
    return f"a missing number is {card.missing}; a missing category is a category of its own"


def card_facts(card: DataCard) -> Iterator[tuple[str, str]]:
    """What a report says about the table as a whole."""
    yield "Source", card.source
    yield "Rows", _of(card.rows, card.rows_read, "row")
    for why, number in card.rows_dropped:
        yield "Rows dropped", f"{count(number)} {why}"
    said = "as they are" if is_typed(card) else f"as {plural(card.features, 'number')} in a row"
    yield "Columns", f"{_of(len(card.kept), len(card.columns), 'column')}, {said}"
    if not card.label:
        yield "Label", "none"
    elif card.label_range is None:
        yield "Label", f"{card.label}, {plural(len(card.classes), 'class', 'classes')}"
    else:
        low, high = map(measurement, card.label_range)
        yield "Label", f"{card.label}, numbers from {low} to {high}"
    for code, (name, number) in enumerate(card.classes):
        yield "Label" if is_typed(card) else f"Label {code}", f"{name}, {plural(number, 'row')}"
    for name, number in card.classes_dropped:
        yield "Class not kept", f"{name}, {plural(number, 'row')}" if number else f"{name}: the draw left no row"
    if card.unit is not None:
        yield "Unit", card.unit
    yield "Missing values", missing_text(card)
    yield "Scaling", f"{scaling_text(card)}; fixed once on D, before the attack"
    yield "Seed of the draw of rows", str(card.seed)


def card_rows(card: DataCard) -> list[tuple[str, str]]:
    """Each column, and what became of it."""
    return [(column.name, _fate(column)) for column in card.columns]


def _fate(column: ColumnCard) -> str:
    if not column.kept:
        return f"dropped: {column.dropped}"
    filled = f"; {plural(column.imputed, 'missing value')} replaced" if column.imputed else ""
    if column.encoding == AS_IT_IS:
        return column.levels[0]
    if column.encoding == "one-hot":
        return f"one-hot: {', '.join(column.levels)}{filled}"
    return f"{_ENCODED[column.encoding]}{filled}"


def summarise_card(card: DataCard | None) -> dict[str, Any] | None:
    """The card as plain data for `--json`.

    >>> card = DataCard("toy.csv", 2, 2, (), (ColumnCard("x", "number"),), 1, "y", (("no", 1), ("yes", 1)))
    >>> summarise_card(card)["classes"], summarise_card(None)
    ({'no': 1, 'yes': 1}, None)
    """
    if card is None:
        return None
    owned = {} if card.unit is None else {"unit": card.unit}
    return {
        **owned,
        "source": card.source,
        "rows_read": card.rows_read,
        "rows": card.rows,
        "rows_dropped": dict(card.rows_dropped),
        "columns": [_summarise_column(column) for column in card.columns],
        "features": card.features,
        "label": card.label,
        "classes": dict(card.classes),
        "classes_dropped": dict(card.classes_dropped),
        "label_range": None if card.label_range is None else list(card.label_range),
        "missing": card.missing,
        "scale": card.scale,
        "seed": card.seed,
    }


def _summarise_column(column: ColumnCard) -> dict[str, Any]:
    if not column.kept:
        return {"name": column.name, "dropped": column.dropped}
    levels = {"levels": list(column.levels)} if column.levels else {}
    return {"name": column.name, "encoding": column.encoding, **levels, "imputed": column.imputed}
