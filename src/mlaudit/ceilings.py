"""The highest ε an interval can show, whatever is observed."""

from functools import partial

import numpy as np

from mlaudit.privacy import per_step
from mlaudit.protocols import Interval


def ceiling(
    interval: Interval,
    trials: int,
    false_trials: int,
    alpha: float,
    delta: float = 0.0,
    steps: int = 1,
) -> float:
    """Return the per-step ε of a perfect attack: every trial a hit, and no false hit.

    Or a single one, for intervals that say nothing without a false hit.

    >>> from mlaudit.intervals.katz_log import KatzLog
    >>> from mlaudit.intervals.mover_cp import MoverCP
    >>> [round(ceiling(interval, 500, 500, alpha=0.05), 4) for interval in (KatzLog(), MoverCP())]
    [4.5714, 5.1204]
    """
    hits = np.array(trials)
    for false_hits in (np.array(0), np.array(1)):
        shown = per_step(partial(interval.log_ratio, hits, false_hits, trials, false_trials, alpha), delta, steps)
        if shown > 0.0:
            return float(shown)
    return 0.0
