"""mlaudit plan."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from mlaudit.cli.terminal import clear_status, show_status
from mlaudit.sweep.config import read_sweep
from mlaudit.sweep.jobs import read_jobs
from mlaudit.sweep.plan import Part, plan_jobs
from mlaudit.types.checks import whole
from mlaudit.types.numbers import ceiling, count, duration, measurement


def command(given: argparse.Namespace) -> int:
    """Print a line for each learner and dataset, and the sums."""
    whole("jobs", given.jobs, 1, "give the number of worker processes")
    jobs = read_jobs([read_sweep(Path(file)) for file in given.file])
    parts = []
    if not given.json:
        clear_status()
        sys.stdout.write(_HEAD)
    show_status("timing trainings", show=not given.quiet)
    for part in plan_jobs(jobs):
        parts.append(part)
        if not given.json:
            clear_status()
            sys.stdout.write(_line(part))
            sys.stdout.flush()
            show_status("timing trainings", show=not given.quiet)
    clear_status()
    if given.json:
        sys.stdout.write(json.dumps({"parts": [asdict(part) for part in parts]}, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(_sum(parts, given.jobs))
    return 0


_HEAD = f"{'learner':<22} {'data':<16} {'cells':>6} {'trainings':>12} {'CPU':>8}  highest ε it could show\n"


def _line(part: Part) -> str:
    low, high = ceiling(part.lowest_ceiling), ceiling(part.highest_ceiling)
    reach = "" if not part.highest_ceiling else low if low == high else f"{low} to {high}"
    missed = f"; below the claim in {part.out_of_reach}" if part.out_of_reach else ""
    cost = duration(part.cpu_seconds) if part.trainings else "–"
    size = f"{part.cells:>6} {count(part.trainings):>12}"
    return f"{part.mechanism:<22} {part.data:<16} {size} {cost:>8}  {reach}{missed}\n"


def _sum(parts: Sequence[Part], jobs: int) -> str:
    seconds = sum(part.cpu_seconds for part in parts)
    cells, trainings = sum(part.cells for part in parts), sum(part.trainings for part in parts)
    size = sum(part.disk_bytes for part in parts) / 1e6
    workers = f", {duration(seconds / jobs)} with {jobs} workers" if jobs > 1 else ""
    cost = f"about {duration(seconds)} of CPU time{workers}, {measurement(size, 3)} MB of disk"
    return f"\n{count(cells)} cells, {count(trainings)} trainings, {cost}.\n"
