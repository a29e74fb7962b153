"""mlaudit run."""

import argparse
import json
import sys
from dataclasses import replace
from typing import NamedTuple

from mlaudit.adapters.convert import mechanism_name
from mlaudit.auditing import audit, check_numbers
from mlaudit.cli.engines import the_engine
from mlaudit.cli.folder import Folder
from mlaudit.cli.objects import the_attacks, the_data_or_worst, the_mechanism, the_pair, the_procedure, the_rows
from mlaudit.cli.printing import printable
from mlaudit.cli.progress import progress_bar
from mlaudit.cli.repeat import to_repeat
from mlaudit.describe import describe
from mlaudit.errors import InvalidInput, LibraryDiffers
from mlaudit.report.json import summary
from mlaudit.report.text import render
from mlaudit.searching.script import file_name
from mlaudit.searching.witness import MinimalWitness, minimal_witness
from mlaudit.types.claim import Relation
from mlaudit.types.result import AuditResult


def command(given: argparse.Namespace) -> int:
    """Audit, keep everything in the run's folder, print the result; what a search accuses of is made small."""
    done = audited(given)
    witness = None if given.no_witness else the_witness(given, done)
    return finish(done, to_repeat(given, "run", given.mechanism), given, witness)


def the_witness(given: argparse.Namespace, done: "Done") -> MinimalWitness | None:
    """The minimal witness of a violation that a search found."""
    if done.result.verdict != "violation" or not done.result.attack.startswith("search:"):
        return None
    bar = progress_bar(given.trainings, show=not given.quiet)
    with the_engine(given) as engine, bar as meter:
        meter.phase("making the witness small")
        return minimal_witness(done.result, the_mechanism(given)[0], engine=engine, progress=meter)


def audited(given: argparse.Namespace, against: Relation | None = None) -> "Done":
    """The audit that was asked for, its draws kept in the run's folder; maybe `against` another relation."""
    check_numbers(given.trainings, given.alpha, given.seed)
    mechanism, claim = the_mechanism(given)
    claim = claim if against is None else replace(claim, relation=against)
    data, pair, procedure = the_data_or_worst(given, mechanism), the_pair(given.pair), the_procedure(given)
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
        **({"isolate": True} if given.isolate else {}),
    }
    source = "pair" if pair is not None else "tight" if data is None else data.name
    name = f"{mechanism_name(mechanism)}-{source}-eps{claim.epsilon:g}"
    bar = progress_bar(given.trainings, show=not given.quiet)
    shown = f"{mechanism_name(mechanism)}, seed {given.seed}"
    with the_engine(given) as engine, bar as meter, Folder.open(given.out, name, settings, shown) as folder:
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
    return Done(result, folder, meter.cpu_seconds)


class Done(NamedTuple):
    """A result, where it is kept, and what it cost."""

    result: AuditResult
    folder: Folder
    seconds: float


def finish(done: Done, repeat: str, given: argparse.Namespace, witness: MinimalWitness | None = None) -> int:
    """Save with the command that repeats it, print, and turn the verdict into an exit code."""
    result, folder, seconds = done
    written = folder.save(result, repeat)
    if witness is not None and witness.script:
        written.append(folder.keep(file_name(witness.mechanism), witness.script))
    if given.json:
        more = {} if witness is None else {"witness": witness.summary()}
        whole = {
            **summary(result),
            **more,
            "cpu_seconds": round(seconds, 3),
            "files": [str(path) for path in written],
        }
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
    else:
        files = ", ".join(path.name for path in written)
        small = "" if witness is None else "".join(f"  witness     {line}\n" for line in witness.lines())
        sys.stdout.write(printable(f"{render(result)}\n{small}  files       {folder.path}: {files}\n"))
    if result.verdict == "unconfirmed":
        return LibraryDiffers.exit_code
    return 3 if given.fail_on_violation and result.verdict == "violation" else 0
