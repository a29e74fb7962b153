"""mlaudit replay."""

import argparse
import json
from pathlib import Path

from mlaudit import replaying
from mlaudit.adapters.at_target import AtTarget
from mlaudit.auditing import confirm, parameters_of
from mlaudit.cli.engines import the_engine
from mlaudit.cli.folder import Folder
from mlaudit.cli.objects import mechanism_from, parameters, the_interval
from mlaudit.cli.progress import progress_bar
from mlaudit.cli.repeat import to_repeat
from mlaudit.cli.run import Done, finish
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.report import json as result_json
from mlaudit.types.result import AuditResult


def command(given: argparse.Namespace) -> int:
    """Count a result's witness on fresh trainings, in a folder of its own."""
    result = result_json.load(given.result)
    mechanism = _mechanism(given, result)
    interval = None if given.interval is None else the_interval(given.interval)
    procedure = replaying.the_procedure(result.provenance.procedure, interval)
    trainings = result.provenance.trainings if given.trainings is None else given.trainings
    seed = result.provenance.seed + 1 if given.seed is None else given.seed
    settings = {"replay": result_json.dumps(result), "trainings": trainings, "seed": seed}
    settings |= {"isolate": True} if given.isolate else {}
    name = f"replay-{seed}" if given.trainings is None else f"replay-{seed}-{trainings}"
    out = given.out or str(Path(given.result).parent / name)
    bar = progress_bar(trainings, show=not given.quiet)
    shown = f"a replay of {given.result}, seed {seed}"
    with the_engine(given) as engine, bar as meter, Folder.open(out, "replay", settings, shown) as folder:
        again = confirm(
            result,
            mechanism,
            procedure,
            trainings=trainings,
            seed=seed,
            engine=engine,
            store=folder.store,
            progress=meter,
        )
    return finish(Done(again, folder, meter.cpu_seconds), to_repeat(given, "replay", given.result), given)


def _mechanism(given: argparse.Namespace, result: AuditResult) -> Mechanism:
    if given.mechanism is None:
        return replaying.the_mechanism(result.provenance.parameters)
    claim = result.claim
    typed = {"epsilon": claim.epsilon, "delta": claim.delta, "relation": claim.relation}
    found, _ = mechanism_from(given.mechanism, typed, parameters(given.param))
    if result.provenance.parameters.get("type") == AtTarget.__name__:
        found = AtTarget(found)
    wanted, got = (json.dumps(p, sort_keys=True) for p in (result.provenance.parameters, parameters_of(found)))
    if wanted != got:
        raise InvalidInput(f"{given.mechanism} must be the result's mechanism, {wanted}, got {got}; give --param")
    return found
