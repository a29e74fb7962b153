"""mlaudit run."""

import argparse
import json
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from mlaudit.auditing.build import build_audit
from mlaudit.auditing.run import Audit
from mlaudit.auditing.spec import AuditSpec
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.cli.engines import open_engine
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.folder import Folder
from mlaudit.cli.loading import show_loading
from mlaudit.cli.result_folder import tell_origin
from mlaudit.cli.terminal import count_trainings, printable
from mlaudit.errors import LibraryDiffers
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.results.audit_result import AuditResult
from mlaudit.types.claim import Relation
from mlaudit.witness.run import MinimalWitness, minimal_witness
from mlaudit.witness.script import file_name


def command(given: argparse.Namespace) -> int:
    """Audit, keep everything in the run's folder and print the result; a violation that a search found is shrunk."""
    spec: AuditSpec = given.spec
    audit = build(spec, given)
    done = run_audit(spec, audit, given, given.out)
    witness = None if given.no_witness else shrink_witness(audit, done.result, given)
    return finish(done, tell_origin(spell_command("run", spec), audit.mechanism), given, witness)


def build(spec: AuditSpec, given: argparse.Namespace, against: Relation | None = None) -> Audit:
    """The audit that a spec asks for, perhaps against a relation that the learner does not claim."""
    return build_audit(spec, partial(show_loading, show=not given.quiet), against)


def run_audit(spec: AuditSpec, audit: Audit, given: argparse.Namespace, out: str | None) -> "Done":
    """Carry out an audit; its draws are kept in the run's folder."""
    source = "pair" if audit.pair is not None else "tight" if audit.data is None else audit.data.name
    learner = mechanism_name(audit.mechanism)
    name, shown = f"{learner}-{source}-eps{audit.claim.epsilon:g}", f"{learner}, seed {spec.seed}"
    identity = identify(spec, describe(audit))
    bar = count_trainings(spec.trainings, show=not given.quiet)
    with (
        open_engine(given.engine, isolate=spec.isolate) as engine,
        bar as meter,
        Folder.open(out, name, identity, shown) as folder,
    ):
        result = audit.run(engine, folder.store, meter)
    return Done(result, folder, meter.cpu_seconds)


def shrink_witness(audit: Audit, result: AuditResult, given: argparse.Namespace) -> MinimalWitness | None:
    """The minimal witness of a violation that a search found."""
    if not result.violated or not result.attack.startswith("search:"):
        return None
    bar = count_trainings(audit.trainings, show=not given.quiet)
    with open_engine(given.engine, isolate=audit.isolate) as engine, bar as meter:
        meter.start_phase("making the witness small")
        return minimal_witness(result, audit.mechanism, engine=engine, progress=meter)


class Done(NamedTuple):
    """A result, where it is kept, and what it cost."""

    result: AuditResult
    folder: Folder
    seconds: float


def finish(
    done: Done, told: Mapping[str, Any], given: argparse.Namespace, witness: MinimalWitness | None = None
) -> int:
    """Save with what is told of the result, print, and turn the verdict into an exit code."""
    result, folder, seconds = done
    written = folder.save(result, told)
    if witness is not None and witness.script:
        written.append(folder.results.keep(file_name(witness.mechanism), witness.script))
    if given.json:
        more = {} if witness is None else {"witness": witness.summary()}
        whole = {
            **result.summary(),
            **more,
            "cpu_seconds": round(seconds, 3),
            "files": [str(path) for path in written],
        }
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        files = f"{folder.path}: {', '.join(path.name for path in written)}; `mlaudit report` draws the figures"
        small = "" if witness is None else "".join(f"  witness     {line}\n" for line in witness.lines())
        sys.stdout.write(printable(f"{result}\n{small}  files       {files}\n"))
    made = result.provenance
    if result.verdict == "not_repeated" and made.sampler == "batched" and made.stands_for:
        return LibraryDiffers.exit_code
    return exit_code([result.verdict], given)
