"""The largest lower bound on ε that an interval can give, whatever is observed."""

from functools import partial

import numpy as np

from mlaudit.protocols import Interval
from mlaudit.statistics.group_privacy import epsilon_per_step


def ceiling(
    interval: Interval,
    trials: int,
    false_trials: int,
    alpha: float,
    delta: float = 0.0,
    steps: int = 1,
) -> float:
    """Return the per-step ε of a perfect attack: every trial a hit, and no false hit.

    Some intervals give no bound without a false hit; for them the perfect attack has one.

    >>> from mlaudit.intervals.katz_log import KatzLog
    >>> from mlaudit.intervals.mover_cp import MoverCP
    >>> [round(ceiling(interval, 500, 500, alpha=0.05), 4) for interval in (KatzLog(), MoverCP())]
    [4.5714, 5.1204]
    """
    hits = np.array(trials)
    for false_hits in (np.array(0), np.array(1)):
        bound = epsilon_per_step(
            partial(interval.log_ratio, hits, false_hits, trials, false_trials, alpha), delta, steps
        )
        if bound > 0.0:
            return float(bound)
    return 0.0
