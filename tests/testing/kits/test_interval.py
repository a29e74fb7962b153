"""The kit of intervals tells every way in which an interval can break its contract."""

from typing import Any

import numpy as np
import pytest
from faults import Fault, assert_every_check_can_fail, assert_healthy, assert_told

from mlaudit.intervals.mover_cp import MoverCP
from mlaudit.testing.interval import check_interval
from mlaudit.types.arrays import FloatArray


class OneNumber(MoverCP):
    def log_ratio(self, *counts: Any, **more: Any) -> FloatArray:
        return np.zeros(())


class NotANumber(MoverCP):
    def log_ratio(self, hits: Any, false_hits: Any, *rest: Any, **more: Any) -> FloatArray:
        bound = super().log_ratio(hits, false_hits, *rest, **more)
        return np.where(np.isneginf(bound), np.nan, bound)


class Falling(MoverCP):
    def log_ratio(self, hits: Any, false_hits: Any, *rest: Any, **more: Any) -> FloatArray:
        return np.asarray(-10.0 - hits - false_hits)


class SearchesBadly(MoverCP):
    search = 0.5


class Hopeful(MoverCP):
    def log_ratio(
        self, hits: Any, false_hits: Any, trials: int, false_trials: int, alpha: float, *rest: Any
    ) -> FloatArray:
        return super().log_ratio(hits, false_hits, trials, false_trials, 4 * alpha, *rest)


SHAPE, NAN = "it gives one number per pair of counts", "it is never NaN"
MORE, ERROR = "more hits never lower it", "it errs at most 5 % of the time"
FAULTS = [
    Fault(OneNumber(), SHAPE, "gave () for (61, 61) counts"),
    Fault(NotANumber(), NAN, "NaN at 0 hits and 0 false hits"),
    Fault(Falling(), MORE, "it falls from 0 to 1 hits at 0 false hits"),
    Fault(SearchesBadly(), "its interval for a search is one, too", "got float"),
    Fault(Hopeful(), ERROR, "of cases at the worst truth tried"),
    Fault(object(), NAN, "raised AttributeError"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
def test_a_broken_interval_is_told(fault: Fault) -> None:
    assert_told(fault, check_interval(fault.part))


def test_every_check_can_fail() -> None:
    checks = check_interval(MoverCP())
    assert_healthy(checks)
    assert_every_check_can_fail(FAULTS, checks)
