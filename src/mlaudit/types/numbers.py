"""Numbers as people read them: the one place that formats them for the console, reports, figures and messages.

JSON and CSV files hold numbers exactly. Everywhere else a number of one kind looks the same wherever it is shown.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from math import ceil, floor, log10

_FEWEST, _MOST = 3, 12  # significant digits of a bound
_SMALLEST_P = 1e-16
_MINUTES, _HOURS = 90, 5400  # seconds from which a duration is given in minutes, in hours


def bound(value: float | None, claim: float | None) -> str:
    """A lower bound: rounded down, and to as many digits as keep it on its side of the claimed ε.

    >>> bound(0.98765, 1.0), bound(1.00004, 1.0), bound(12.34, 1.0), bound(0.0, 1.0), bound(None, 1.0)
    ('0.987', '1.00004', '12.3', '0', '')
    """
    if value is None or value <= 0:
        return "" if value is None else "0"
    for digits in range(_FEWEST, _MOST):
        rounded = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(repr(float(value))))
        if claim is None or (rounded > claim) == (value > claim):
            return f"{rounded:.{_MOST}g}"
    return repr(value)


def parameter(value: float | None) -> str:
    """A number that somebody chose: a claimed ε or δ, an α, a seed.

    >>> parameter(1.0), parameter(0.12345), parameter(1e-5), parameter(None)
    ('1', '0.12345', '1e-05', '')
    """
    return "" if value is None else f"{value:g}"


def ceiling(value: float | None) -> str:
    """The highest ε that an audit could have shown.

    >>> ceiling(7.2345)
    '7.23'
    """
    return measurement(value, 3)


def upwards(value: float) -> str:
    """A number that must not look smaller than it is: rounded up to three significant digits.

    >>> upwards(1.1201), upwards(2.0), upwards(0.1 + 0.2)
    ('1.13', '2', '0.3')
    """
    # The last bits of a sum are no reason to round up.
    rounded = Context(prec=_FEWEST, rounding=ROUND_CEILING).create_decimal(f"{value:.{_MOST}g}")
    return f"{float(rounded):.{_MOST}g}"


def measurement(value: float | None, digits: int = 4) -> str:
    """A measured number, in few significant digits.

    >>> measurement(0.123456), measurement(2.0), measurement(1234567.0, 6), measurement(None)
    ('0.1235', '2', '1.23457e+06', '')
    """
    return "" if value is None else f"{value:.{digits}g}"


def count(value: float) -> str:
    """A whole number, thousands apart.

    >>> count(40000)
    '40 000'
    """
    return f"{int(value):,}".replace(",", " ")


def plural(value: int, one: str, many: str = "") -> str:
    """A whole number with its noun.

    >>> plural(1, "cell"), plural(4000, "cell"), plural(2, "study", "studies")
    ('1 cell', '4 000 cells', '2 studies')
    """
    return f"{count(value)} {one if value == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share in percent, to a tenth; nearer to 0 % or 100 % to as many digits as tell it from them.

    >>> percent(0.87432), percent(0.5), percent(1.0), percent(0.99996), percent(0.00629), percent(1e-6)
    ('87.4 %', '50 %', '100 %', '99.996 %', '0.63 %', '0.0001 %')
    """
    edge = 100 * min(share, 1 - share)
    decimals = max(1, 1 - floor(log10(edge))) if edge > 0 else 0
    shown = f"{100 * share:.{decimals}f}"
    return f"{shown.rstrip('0').rstrip('.') if decimals else shown} %"


def confidence(alpha: float | None) -> str:
    """1 − α, as many digits as it takes.

    >>> confidence(0.05), confidence(1e-6), confidence(2e-8), confidence(None)
    ('95 %', '99.9999 %', '99.999998 %', '')
    """
    if alpha is None:
        return ""
    digits = max(6, ceil(-log10(alpha))) if alpha > 0 else 6
    return f"{100 * (1 - alpha):.{digits}g} %"


def p_value(value: float | None) -> str:
    """A p-value in two digits, with its sign.

    >>> p_value(0.0123), p_value(1e-40), p_value(None)
    ('= 0.012', '< 1e-16', '')
    """
    if value is None:
        return ""
    return f"< {_SMALLEST_P:g}" if value < _SMALLEST_P else f"= {value:.2g}"


def duration(seconds: float) -> str:
    """A time in its own unit.

    >>> duration(42), duration(1200), duration(9000)
    ('42 s', '20 min', '2.5 h')
    """
    if seconds < _MINUTES:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < _HOURS else f"{seconds / 3600:.1f} h"
