"""What `mlaudit test` finds among the zoo's broken mechanisms, and how often it accuses their healthy twins.

    python benchmarks/claim_tests.py smoke 5     # the effort, and the number of seeds

Every exhibit is tested as a user would: with one side of its pair as the data, and the box around both sides as the
domain. The pair itself is not given. All findings on a healthy twin are false alarms.
"""

import sys
import time
from collections import Counter

import numpy as np
from scipy.stats import beta

from mlaudit import Dataset, refute
from mlaudit.adapters.function import Function
from mlaudit.errors import AuditError
from mlaudit.refuting.whole_numbers import enclose_data
from mlaudit.testing.zoo import Exhibit, exhibits

ALPHA = 0.05


def data_of(exhibit: Exhibit) -> Dataset:
    """D of the exhibit's pair, in the box around both sides."""
    base, other = exhibit.pair.base, exhibit.pair.neighbour
    if base.domain is not None:
        return base
    both = Dataset(
        np.vstack([base.X, other.X]), None if base.y is None or other.y is None else np.append(base.y, other.y)
    )
    return base.within(enclose_data(both))


def try_once(function: Function, exhibit: Exhibit, effort: str, seed: int) -> str:
    """The detector of the worst finding; "" if there is none."""
    try:
        result = refute(
            function, data_of(exhibit), claim=exhibit.claim, effort=effort, last_bits=True, alpha=ALPHA, seed=seed
        )
    except AuditError as error:
        return f"error: {error}"
    return result.findings[0].detector if result.violated else ""


def main() -> None:
    """Print a line for each exhibit, and the totals."""
    effort, seeds = sys.argv[1], int(sys.argv[2])
    only = sys.argv[3].split(",") if len(sys.argv) > 3 else None
    accused = tested = caught = broken = 0
    print(f"{'exhibit':34} {'caught':>7} {'accused':>8} {'CPU s':>7}  found by")
    for name, exhibit in exhibits().items():
        if only is not None and name not in only:
            continue
        began = time.process_time()
        good = [try_once(exhibit.healthy, exhibit, effort, seed) for seed in range(seeds)]
        bad = [] if exhibit.broken is None else [try_once(exhibit.broken, exhibit, effort, s) for s in range(seeds)]
        alarms, hits = sum(map(bool, good)), sum(map(bool, bad))
        accused, tested, caught, broken = accused + alarms, tested + seeds, caught + hits, broken + len(bad)
        spent = (time.process_time() - began) / (len(good) + len(bad))
        found = ", ".join(f"{who} {count}" for who, count in Counter(filter(None, bad)).most_common())
        alarm = f"  FALSE ALARM by {Counter(filter(None, good))}" if alarms else ""
        print(f"{name:34} {hits:>3}/{len(bad):<3} {alarms:>4}/{seeds:<3} {spent:>7.2f}  {found}{alarm}", flush=True)
    upper = beta.ppf(0.975, accused + 1, tested - accused) if accused < tested else 1.0
    print(f"caught {caught} of {broken}; accused {accused} of {tested} (95 % interval up to {100 * upper:.1f} %)")


if __name__ == "__main__":
    main()
