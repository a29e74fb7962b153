"""Numbers as people read them: one way for the console, pages, Markdown and figures.

A lower bound looks the same wherever it is shown, and must not grow in print: `bound` is the only way to show one.
"""

from decimal import ROUND_FLOOR, Context

_FEWEST, _MOST = 3, 12  # significant digits of a bound


def bound(value: float | None, claimed: float | None) -> str:
    """A lower bound, rounded down and to as many digits as keep it on its side of the claim.

    >>> bound(0.98765, 1.0), bound(1.00004, 1.0), bound(12.34, 1.0), bound(0.0, 1.0)
    ('0.987', '1.00004', '12.3', '0')
    """
    if value is None or value <= 0:
        return "" if value is None else "0"
    for digits in range(_FEWEST, _MOST):
        shown = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(float(value))))
        if claimed is None or (shown > claimed) == (value > claimed):
            return f"{shown:.{_MOST}g}"
    return repr(value)


def claimed(value: float | None) -> str:
    """An ε as it was claimed.

    >>> claimed(1.0), claimed(0.12345), claimed(None)
    ('1', '0.12345', '')
    """
    return "" if value is None else f"{value:g}"


def ceiling(value: float | None) -> str:
    """The highest ε that an audit could have shown."""
    return short(value, 3)


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
