"""The contract of an interval: one lower bound for each pair of counts, which errs as rarely as it says."""

from functools import cache

import numpy as np
from scipy.special import gammaln, xlog1py, xlogy

from mlaudit.protocols import HasSearchInterval, Interval
from mlaudit.testing.checks import Check, check
from mlaudit.types.arrays import FloatArray
from mlaudit.types.checks import kind_of
from mlaudit.types.numbers import percent

_ALPHA = 0.05
_RATES = np.linspace(0.01, 0.6, 40)
_RATIOS = (0.0, 0.5, 1.0, 2.0, 3.0)


def check_interval(interval: Interval, *, trials: int = 60) -> list[Check]:
    """Check an interval against what mlaudit expects of it, by enumeration of all counts at a small N.

    Args:
        interval: The interval.
        trials: N, the number of trials on each side. The interval computes (N + 1)² bounds, so take fewer trials if
            one bound takes milliseconds.

    Returns:
        One check for each expectation.

    Example:
        >>> from mlaudit.intervals.mover_cp import MoverCP
        >>> [str(result) for result in check_interval(MoverCP()) if not result.passed]
        []
    """
    table = cache(lambda: _tabulate(interval, trials))  # the checks share it; the first one that asks computes it
    return [
        check("it gives one number per pair of counts", lambda: _find_other_shape(table(), trials)),
        check("it is never NaN", lambda: _find_nan(table())),
        check("more hits never lower it", lambda: _find_fall(table())),
        check("its interval for a search is one, too", lambda: _find_search_fault(interval)),
        check(f"it errs at most {percent(_ALPHA)} of the time", lambda: _find_error(table())),
    ]


def _find_largest_error(bounds: FloatArray) -> float:
    """The worst exact probability that the bound exceeds the true log ratio, over a grid of truths."""
    n = len(bounds) - 1
    worst = 0.0
    for ratio in _RATIOS:
        for rate in _RATES[_RATES * np.exp(ratio) <= 1.0]:
            joint = np.outer(_pmf(n, min(1.0, rate * np.exp(ratio))), _pmf(n, rate))
            worst = max(worst, float(joint[bounds > ratio + 1e-12].sum()))
    return worst


def _tabulate(interval: Interval, n: int) -> FloatArray:
    """The bound of every pair of counts."""
    hits, false_hits = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    return np.asarray(interval.log_ratio(hits, false_hits, n, n, _ALPHA))


def _pmf(n: int, p: float) -> FloatArray:
    k = np.arange(n + 1)
    log = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + xlogy(k, p) + xlog1py(n - k, -p)
    return np.exp(log)


def _find_other_shape(table: FloatArray, trials: int) -> str:
    wanted = (trials + 1, trials + 1)
    return "" if table.shape == wanted else f"gave {table.shape} for {wanted} counts; compute with arrays of counts"


def _find_search_fault(interval: Interval) -> str:
    if not isinstance(interval, HasSearchInterval) or callable(getattr(interval.search, "log_ratio", None)):
        return ""
    return (
        f"`search` must be an interval with log_ratio, got {kind_of(interval.search)}; leave it out if there is none"
    )


def _find_nan(table: FloatArray) -> str:
    bad = np.argwhere(np.isnan(table))
    return "" if not len(bad) else f"NaN at {bad[0][0]} hits and {bad[0][1]} false hits; give −inf for nothing"


def _find_fall(table: FloatArray) -> str:
    with np.errstate(invalid="ignore"):
        falls = np.argwhere(np.diff(table, axis=0) < -1e-9)
    if not len(falls):
        return ""
    hits, false_hits = falls[0]
    return f"it falls from {hits} to {hits + 1} hits at {false_hits} false hits; take the bound of fewer hits there"


def _find_error(table: FloatArray) -> str:
    worst = _find_largest_error(table)
    # The Katz interval, the literature's, errs in 5.3 % of cases; what errs more is not worth the name.
    if worst <= 1.1 * _ALPHA:
        return ""
    return f"errs in {percent(worst)} of cases at the worst truth tried; bound at alpha on one side"
