"""mlaudit scan."""

import argparse
import json
import sys
from functools import partial

from mlaudit.auditing.inputs import build_data
from mlaudit.auditing.learner import build_mechanism, claim_terms
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.cli.engines import open_engine
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.loading import show_loading
from mlaudit.cli.result_folder import ResultFolder, tell_origin
from mlaudit.cli.specs import ScanSpec
from mlaudit.cli.terminal import count_trainings, printable
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.scanning.run import scan


def command(given: argparse.Namespace) -> int:
    """Scan, keep the result and print the table."""
    spec: ScanSpec = given.spec
    mechanism, claim = build_mechanism(spec.mechanism, claim_terms(spec), spec.param)
    data = build_data(spec, mechanism, partial(show_loading, show=not given.quiet))
    if data is None:
        raise InvalidInput("a scan needs data to make neighbours of, got none; give --data")
    name = mechanism_name(mechanism)
    identity = identify("scan", spec, describe([mechanism, claim, data]))
    bar = count_trainings(None, show=not given.quiet)
    with (
        open_engine(given.engine, isolate=spec.isolate) as engine,
        bar as meter,
        ResultFolder.open(given.out, f"scan-{name}", identity, f"a scan of {name}, seed {spec.seed}") as folder,
    ):
        result = scan(
            mechanism,
            data,
            claim=claim,
            pilot=spec.pilot,
            trainings=spec.trainings,
            alpha=spec.alpha,
            seed=spec.seed,
            engine=engine,
            progress=meter,
        )
    written = folder.save(result, tell_origin(spell_command("scan", spec), mechanism))
    if given.json:
        whole = {**result.summary(), "cpu_seconds": round(meter.cpu_seconds, 3), "files": [str(written)]}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(printable(f"{result}\n  files       {folder.path}: {written.name}\n"))
    return exit_code([result.verdict], given)
