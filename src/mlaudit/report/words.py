"""Numbers and verdicts as people read them."""

from math import floor, log10

from mlaudit.report.cells import Cell
from mlaudit.report.holm import Family

VERDICTS = {"violation": "Violation", "unconfirmed": "Unconfirmed", "consistent": "Consistent"}


def count(value: float) -> str:
    """Thousands apart: 40 000."""
    return f"{int(value):,}".replace(",", " ")


def plural(value: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> plural(1, "cell"), plural(4000, "cell"), plural(2, "study", "studies")
    ('1 cell', '4 000 cells', '2 studies')
    """
    return f"{count(value)} {one if value == 1 else many or one + 's'}"


def short(value: float | None, digits: int = 4) -> str:
    """A number in few digits, "" for none."""
    return "" if value is None else f"{value:.{digits}g}"


def bound(value: float | None, claimed: float | None) -> str:
    """A lower bound, rounded down and to as many digits as keep it on its side of the claim.

    >>> bound(0.98765, 1.0), bound(1.00004, 1.0), bound(0.0, 1.0)
    ('0.987', '1.00004', '0')
    """
    if value is None or value <= 0:
        return "" if value is None else "0"
    for digits in range(3, 12):
        scale = 10.0 ** (digits - 1 - floor(log10(value)))
        shown = floor(value * scale) / scale
        if claimed is None or (shown > claimed) == (value > claimed):
            return f"{shown:.12g}"
    return repr(value)


def confidence(alpha: float | None) -> str:
    """1 − α: 95 %."""
    return "" if alpha is None else f"{100 * (1 - alpha):.6g} %"


def p_shown(value: float | None) -> str:
    """A p-value in two digits, with its sign.

    >>> p_shown(0.0123), p_shown(1e-40)
    ('= 0.012', '< 1e-16')
    """
    if value is None:
        return ""
    return "< 1e-16" if value < 1e-16 else f"= {value:.2g}"


def claim(cell: Cell) -> str:
    """ε = 1, δ = 1e-05."""
    return f"ε = {short(cell.epsilon)}" + (f", δ = {cell.delta:g}" if cell.delta else "")


def which(cell: Cell) -> str:
    """A cell by what was asked of it."""
    parts = [cell.study, cell.mechanism, cell.data, cell.label or cell.attack_shown, cell.interval]
    parts += [claim(cell) if cell.epsilon else "", f"seed {cell.seed:g}" if cell.seed is not None else ""]
    return " · ".join(part for part in parts if part)


def verdict_sentence(cells: list[Cell], tests: Family) -> str:
    """What the whole report says, in a sentence or two."""
    found = sum(cell.audited and cell.verdict == "violation" for cell in cells)
    if not tests.tests:
        return "No audit came to an end, so that nothing is said about any claim."
    if not found:
        return f"In none of {plural(tests.tests, 'audit')} is the claim refuted."
    left = tests.left
    fate = "all of them remain" if left == found else "none remains" if not left else f"{count(left)} remain"
    fate = "it remains" if left == found == 1 else fate
    over = f"after Holm's correction over all {count(tests.tests)}"
    return f"In {count(found)} of {plural(tests.tests, 'audit')} the claim is refuted; {fate} {over}."


def error_sentence(tests: Family) -> str:
    """What α means for many cells."""
    expected = tests.alpha * tests.tests
    few = "fewer than one false alarm" if expected < 1 else f"up to {plural(round(expected), 'false alarm')}"
    return (
        f"α is per cell: among {plural(tests.tests, 'audit')} of honest learners {few} would be expected at "
        f"α = {tests.alpha:g}. Holm's correction makes the probability of even one false alarm in the whole table "
        f"at most {tests.alpha:g}."
    )
