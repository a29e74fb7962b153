"""mlaudit test."""

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from mlaudit.auditing.inputs import build_data
from mlaudit.auditing.learner import build_mechanism, claim_terms
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.cli.engines import open_engine
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.folder import Folder
from mlaudit.cli.loading import show_loading
from mlaudit.cli.result_folder import tell_origin
from mlaudit.cli.specs import RefuteSpec
from mlaudit.cli.terminal import count_trainings, printable
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.refuting.locations import locate_lines
from mlaudit.refuting.result import ClaimTest
from mlaudit.refuting.run import refute
from mlaudit.search.worst import UNIT_ROWS


def command(given: argparse.Namespace) -> int:
    """Test the claim, keep the result and the witnesses in the test's folder, and print the result."""
    spec: RefuteSpec = given.spec
    mechanism, claim = build_mechanism(spec.mechanism, claim_terms(spec), spec.param)
    # Bounds and units are for crafted data here, also beside data of the user's own.
    read = replace(spec, bounds=None, unit_rows=None, unit=None if spec.data is None else spec.unit)
    data = build_data(read, mechanism, partial(show_loading, show=not given.quiet))
    name = mechanism_name(mechanism)
    identity = identify("test", spec, describe([mechanism, claim, data]))
    bar = count_trainings(None, show=not given.quiet)
    with (
        open_engine(given.engine, isolate=spec.isolate) as engine,
        bar as meter,
        Folder.open(given.out, f"test-{name}-eps{claim.epsilon:g}", identity, f"{name}, seed {spec.seed}") as folder,
    ):
        result = refute(
            mechanism,
            data,
            claim=claim,
            bounds=spec.bounds,
            unit_rows=UNIT_ROWS if data is None and spec.unit_rows is None and spec.unit else spec.unit_rows,
            unit=spec.unit if data is None else None,
            effort=spec.effort,
            trainings=spec.trainings,
            seconds=spec.seconds,
            find_all=spec.all,
            last_bits=spec.last_bits,
            measure=spec.measure,
            outside=spec.outside_domain,
            alpha=spec.alpha,
            seed=spec.seed,
            engine=engine,
            store=folder.store,
            progress=meter,
        )
    told = tell_origin(spell_command("test", spec), mechanism)
    told["locations"] += [one.as_data() for one in locate_lines(result)]
    written = _save(result, folder, told)
    if given.json:
        files = [str(path) for path in written]
        whole = {**result.summary(), "cpu_seconds": round(meter.cpu_seconds, 3), "files": files}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        files = [path.name for path in written]
        sys.stdout.write(printable(f"{result}\n  files       {folder.path}: {', '.join(files)}\n"))
    given.fail_on_violation = not given.exit_zero
    return exit_code([result.verdict], given)


def _save(result: ClaimTest, folder: Folder, told: Mapping[str, Any]) -> list[Path]:
    """Write the result, and a file for `mlaudit replay` for every finding."""
    written = [folder.results.save(result, told)]
    for number, found in enumerate(result.findings, start=1):
        written.append(folder.results.keep(f"witness_{number}.json", found.witness.to_json()))
    return written
