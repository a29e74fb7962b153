"""mlaudit sweep."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mlaudit.cli.engines import open_engine
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.folder import open_sweep_stores
from mlaudit.cli.sweep_progress import count_cells
from mlaudit.report.cells import cell_of
from mlaudit.results.lines import VERDICT_NAMES
from mlaudit.results.verdict import VERDICTS
from mlaudit.sweep.config import Sweep, read_sweep
from mlaudit.sweep.jobs import read_jobs
from mlaudit.sweep.run import run_jobs
from mlaudit.sweep.store import SqliteResults
from mlaudit.types.numbers import count, measurement

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
    return exit_code([verdict for verdict in VERDICTS if ended[verdict]], given)


def _sum_up(results: SqliteResults, sweeps: Sequence[Sweep]) -> dict[str, Any]:
    rows = [row for sweep in sweeps for row in results.rows(sweep.study.name)]
    found = [cell_of(row).verdict for row in rows]
    return {
        "cells": len(rows),
        **{verdict: found.count(verdict) for verdict in VERDICTS},
        "cpu_seconds": round(sum(row.cpu_seconds for row in rows), 1),
        "exit_code": max((int(row.values.get("exit_code", 0)) for row in rows), default=0),
    }


def _count_verdicts(ended: dict[str, Any]) -> str:
    """How many cells ended with each verdict; the gravest first."""
    counts = [f"{count(ended[verdict])} {VERDICT_NAMES[verdict].lower()}" for verdict in VERDICTS if ended[verdict]]
    return ", ".join(counts) or "no audit"


def _sentence(ended: dict[str, Any], folder: Path) -> str:
    hours = ended["cpu_seconds"] / 3600
    spent = (
        f"{measurement(hours, 2)} CPU hours"
        if hours >= 0.1
        else f"{measurement(ended['cpu_seconds'], 6)} CPU seconds"
    )
    return (
        f"{ended['cells']} cells measured in {spent}: {_count_verdicts(ended)}.\n"
        f"  results     {folder}: results.sqlite\n  next        mlaudit report {folder}\n"
    )
