"""mlaudit scan."""

import argparse
import json
import sys

from mlaudit.cli.engines import the_engine
from mlaudit.cli.objects import the_data, the_mechanism
from mlaudit.cli.progress import progress_bar
from mlaudit.errors import InvalidInput
from mlaudit.report.scan import render, summary
from mlaudit.scanning.running import scan


def command(given: argparse.Namespace) -> int:
    """Scan, print the table; 3 if the claim is refuted and that was asked for."""
    mechanism, claim = the_mechanism(given)
    data = the_data(given, mechanism)
    if data is None:
        raise InvalidInput("a scan needs data to make neighbours of, got none; give --data")
    bar = progress_bar(None, show=not given.quiet)
    with the_engine(given) as engine, bar as meter:
        result = scan(
            mechanism,
            data,
            claim=claim,
            pilot=given.pilot,
            trainings=given.trainings,
            alpha=given.alpha,
            seed=given.seed,
            engine=engine,
            progress=meter,
        )
    if given.json:
        whole = {**summary(result), "cpu_seconds": round(meter.cpu_seconds, 3)}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(f"{render(result)}\n")
    return 3 if given.fail_on_violation and result.violation else 0
