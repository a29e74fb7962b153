"""mlaudit replay."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from mlaudit.adapters.prediction_at import DESCRIBED_AS, PredictionAt
from mlaudit.auditing.build import build_interval
from mlaudit.auditing.call import confirm, next_seed
from mlaudit.auditing.learner import build_mechanism
from mlaudit.auditing.run import parameters_of
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.canaries.result import is_canary_result
from mlaudit.cli.engines import open_engine
from mlaudit.cli.folder import Folder
from mlaudit.cli.replay_canaries import replay_canaries
from mlaudit.cli.result_folder import RESULT, tell_origin
from mlaudit.cli.run import Done, finish
from mlaudit.cli.specs import ReplaySpec
from mlaudit.cli.terminal import count_trainings
from mlaudit.errors import InvalidInput
from mlaudit.protocols import Mechanism
from mlaudit.refuting.result import is_claim_test
from mlaudit.results import replay as replaying
from mlaudit.results.audit_result import AuditResult
from mlaudit.results.json import read_text


def command(given: argparse.Namespace) -> int:
    """Count a result's witness on fresh trainings, in a folder of its own."""
    given.spec = spec = _find_file(given.spec)
    content = read_text(Path(spec.result))
    if is_canary_result(content, spec.result):
        return replay_canaries(content, given)
    if is_claim_test(content, spec.result):
        beside = Path(spec.result).with_name("witness_1.json")
        raise InvalidInput(
            f"a replay is of one finding, got the whole of a claim test; give a witness, as in {beside}"
        )
    result = AuditResult.from_json(content, source=spec.result)
    mechanism = _build_mechanism(spec, result)
    interval = None if spec.interval is None else build_interval(spec.interval)
    procedure = replaying.rebuild_procedure(result.provenance.procedure, interval)
    trainings = result.provenance.trainings if spec.trainings is None else spec.trainings
    seed = next_seed(result) if spec.seed is None else spec.seed
    identity = identify(replace(spec, result=result.to_json(), trainings=trainings, seed=seed))
    name = f"replay-{seed}" if spec.trainings is None else f"replay-{seed}-{trainings}"
    out = given.out or str(Path(spec.result).parent / name)
    bar = count_trainings(trainings, show=not given.quiet)
    shown = f"a replay of {spec.result}, seed {seed}"
    with (
        open_engine(given.engine, isolate=spec.isolate) as engine,
        bar as meter,
        Folder.open(out, "replay", identity, shown) as folder,
    ):
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
    told = tell_origin(spell_command("replay", spec), mechanism)
    return finish(Done(again, folder, meter.cpu_seconds), told, given)


def _find_file(spec: ReplaySpec) -> ReplaySpec:
    """The result of a folder, where a folder is given, as to `mlaudit report`."""
    return replace(spec, result=str(Path(spec.result) / RESULT)) if Path(spec.result).is_dir() else spec


def _build_mechanism(spec: ReplaySpec, result: AuditResult) -> Mechanism:
    if spec.mechanism is None:
        return replaying.rebuild_mechanism(result.provenance.parameters)
    claim = result.claim
    terms = {"epsilon": claim.epsilon, "delta": claim.delta, "relation": claim.relation}
    found, _ = build_mechanism(spec.mechanism, terms, spec.param)
    if result.provenance.parameters.get("type") == DESCRIBED_AS:
        found = PredictionAt(found)
    wanted, got = (json.dumps(p, sort_keys=True) for p in (result.provenance.parameters, parameters_of(found)))
    if wanted != got:
        raise InvalidInput(f"{spec.mechanism} must be the result's mechanism, {wanted}, got {got}; give --param")
    return found
