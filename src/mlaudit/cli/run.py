"""mlaudit run."""

import argparse
import json
import sys

from mlaudit.adapters.convert import mechanism_name
from mlaudit.auditing import audit, check_numbers
from mlaudit.cli.engines import in_workers, the_engine
from mlaudit.cli.folder import Folder
from mlaudit.cli.objects import the_attacks, the_data, the_mechanism, the_pair, the_procedure, the_rows
from mlaudit.cli.progress import progress_bar
from mlaudit.cli.repeat import to_repeat
from mlaudit.describe import describe
from mlaudit.errors import InvalidInput, LibraryDiffers
from mlaudit.report.json import summary
from mlaudit.report.text import render
from mlaudit.types.result import AuditResult


def command(given: argparse.Namespace) -> int:
    """Audit, keep everything in the run's folder, print the result."""
    check_numbers(given.trainings, given.alpha, given.seed)
    mechanism, claim = the_mechanism(given)
    data, pair, procedure = the_data(given, mechanism), the_pair(given.pair), the_procedure(given)
    if pair is not None and (data is not None or given.attack != "auto"):
        raise InvalidInput("give either --pair, or --data and --attack, got both")
    attacks = None if pair is not None else the_attacks(given, mechanism, data)
    rows = the_rows(given.rows)
    settings = {
        "mechanism": describe(mechanism),
        "claim": describe(claim),
        "data": describe(data),
        "pair": describe(pair),
        "attacks": describe(attacks),
        "rows": rows,
        "procedure": describe(procedure),
        "numbers": (given.trainings, given.alpha, given.seed),
        "sampler": given.sampler,
    }
    source = "pair" if pair is not None else "tight" if data is None else data.name
    name = f"{mechanism_name(mechanism)}-{source}-eps{claim.epsilon:g}"
    bar = progress_bar(given.trainings, in_workers=in_workers(given), show=not given.quiet)
    with the_engine(given) as engine, bar as meter:
        folder = Folder.open(given.out, name, settings)
        result = audit(
            mechanism,
            data,
            pair=pair,
            claim=claim,
            attack=attacks,
            rows=rows,
            procedure=procedure,
            trainings=given.trainings,
            alpha=given.alpha,
            seed=given.seed,
            sampler=given.sampler,
            engine=engine,
            store=folder.store,
            progress=meter,
        )
    return finish(result, folder, given, meter.cpu_seconds, to_repeat(given, "run", given.mechanism))


def finish(result: AuditResult, folder: Folder, given: argparse.Namespace, seconds: float, repeat: str) -> int:
    """Save, print, and turn the verdict into an exit code."""
    written = folder.save(result, repeat)
    if given.json:
        whole = {**summary(result), "cpu_seconds": round(seconds, 3), "files": [str(path) for path in written]}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        files = ", ".join(path.name for path in written)
        sys.stdout.write(f"{render(result)}\n  files       {folder.path}: {files}\n")
    if result.verdict == "unconfirmed":
        return LibraryDiffers.exit_code
    return 3 if given.fail_on_violation and result.verdict == "violation" else 0
