"""mlaudit sweep."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlaudit.cli.engines import open_engine
from mlaudit.cli.folder import open_sweep_stores
from mlaudit.cli.sweep_progress import count_cells
from mlaudit.sweep.config import Sweep, read_sweep
from mlaudit.sweep.jobs import read_jobs
from mlaudit.sweep.run import run_jobs
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.numbers import measurement

_SHOWN = 10  # failures in full


def command(given: argparse.Namespace) -> int:
    """Measure every cell that has no row yet, and say how it ended."""
    sweeps = [read_sweep(Path(file)) for file in given.file]
    jobs = read_jobs(sweeps)
    folder = Path(given.out)
    with (
        open_engine(given.engine) as engine,
        count_cells(show=not given.quiet) as meter,
        open_sweep_stores(folder) as stores,
    ):
        results, store = stores
        for sweep in sweeps:
            results.describe(sweep.study)
        failures = run_jobs(jobs, results, store, engine, meter, workers=given.engine.jobs)
    ended = _sum_up(results, sweeps)
    if given.json:
        sys.stdout.write(
            json.dumps({**ended, "folder": str(folder), "failures": failures}, ensure_ascii=False) + "\n"
        )
    else:
        sys.stdout.write(_sentence(ended, folder))
    for failure in failures[:_SHOWN]:
        sys.stderr.write(f"mlaudit: {' '.join(failure.split())}\n")
    if failures:
        sys.stderr.write(f"mlaudit: {len(failures)} cells failed; correct them and run the same command again\n")
        return int(ended["exit_code"])
    return 3 if given.fail_on_violation and ended["violations"] else 0


def _sum_up(results: SqliteResults, sweeps: Sequence[Sweep]) -> dict[str, Any]:
    rows = [row for sweep in sweeps for row in results.rows(sweep.study.name)]
    return {
        "cells": len(rows),
        "violations": sum(row.values.get("verdict") == "violation" for row in rows),
        "cpu_seconds": round(sum(row.cpu_seconds for row in rows), 1),
        "exit_code": max((int(row.values.get("exit_code", 0)) for row in rows), default=0),
    }


def _sentence(ended: dict[str, Any], folder: Path) -> str:
    hours = ended["cpu_seconds"] / 3600
    spent = (
        f"{measurement(hours, 2)} CPU hours"
        if hours >= 0.1
        else f"{measurement(ended['cpu_seconds'], 6)} CPU seconds"
    )
    return (
        f"{ended['cells']} cells measured in {spent}; the claim is refuted in {ended['violations']}.\n"
        f"  results     {folder}: results.sqlite\n  next        mlaudit report {folder}\n"
    )
