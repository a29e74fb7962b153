"""How often a trace names the right line of the zoo's broken mechanisms, and how often it suspects a healthy one.

    python benchmarks/trace_zoo.py            # one seed for the broken, 64 for the healthy
    python benchmarks/trace_zoo.py --seeds 4

A line is right if it lies in the file of the broken mechanism and not in its healthy twin: in the broken mechanism,
or in a helper of the same file. A healthy mechanism is suspected if any fault is named.
"""

import argparse
import inspect
import time
from collections.abc import Callable
from typing import Any

from mlaudit.testing.zoo import Exhibit, exhibits
from mlaudit.tracing.result import TraceResult
from mlaudit.tracing.run import trace


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=64)
    seeds = parser.parse_args().seeds
    began, right, broken, suspected, healthy = time.process_time(), 0, 0, 0, 0
    print("| exhibit | fits | suspect | line | right | twins suspected |\n| --- | --- | --- | --- | --- | --- |")
    for name, exhibit in exhibits().items():
        wrong = sum(bool(follow(exhibit.healthy, exhibit, seed, 2).faults) for seed in range(seeds))
        suspected, healthy = suspected + wrong, healthy + seeds
        if exhibit.broken is None:
            print(f"| {name} (nothing broken) | | | | | {wrong} of {seeds} |")
            continue
        found, broken = follow(exhibit.broken, exhibit, 0, 4), broken + 1
        named = next((fault for fault in found.faults if is_right(fault.site, exhibit.broken, exhibit.healthy)), None)
        right += named is not None
        shown = f"{named.kind} | {named.site} | yes" if named else "none | | no"
        print(f"| {name} | {found.fits} | {shown} | {wrong} of {seeds} |")
    print(f"\nRight line: {right} of {broken}. Healthy twins suspected: {suspected} of {healthy} traces.")
    print(f"CPU seconds: {time.process_time() - began:.0f}")


def follow(function: Callable[..., Any], exhibit: Exhibit, seed: int, rounds: int) -> TraceResult:
    """Trace a mechanism of an exhibit on its pair, without a statistical test."""
    return trace(function, pair=exhibit.pair, claim=exhibit.claim, rounds=rounds, seed=1000 * seed, prove=False)


def is_right(site: Any, broken: Callable[..., Any], healthy: Callable[..., Any]) -> bool:
    """Whether a line belongs to the broken mechanism, or to a helper of its file, and not to the healthy one."""
    lines, first = inspect.getsourcelines(healthy)
    same_file = inspect.getsourcefile(broken) == site.file
    of_twin = inspect.getsourcefile(healthy) == site.file and first <= site.line < first + len(lines)
    return same_file and not of_twin


if __name__ == "__main__":
    main()
