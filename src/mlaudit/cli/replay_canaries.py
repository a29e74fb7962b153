"""mlaudit replay of an audit by canaries: the same trainer once more, with another seed.

The result says with which command it was made. Its options are read as data: a trainer or a dataset that the file
names must be installed, or a table; code of one's own runs only if --mechanism names it.
"""

import argparse
import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlaudit.auditing.run import parameters_of
from mlaudit.canaries.result import CanaryResult
from mlaudit.cli import one_run, white_box
from mlaudit.cli.parser import build_parser, read_typed
from mlaudit.cli.specs import OneRunSpec, ReplaySpec, TrainerSpec, WhiteBoxSpec
from mlaudit.cli.trainers import CanaryAudit, build_trainer, load_named
from mlaudit.datasets._load import load_installed
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load_shipped, shipped
from mlaudit.report.cells import command as shell_command
from mlaudit.results.json import read_object

KINDS = {"one run": (one_run.COMMAND, OneRunSpec), "white box": (white_box.COMMAND, WhiteBoxSpec)}


def replay_canaries(content: str, given: argparse.Namespace) -> int:
    """Repeat the audit of a result with fresh coins and a fresh training, in a folder of its own."""
    asked: ReplaySpec = given.spec
    result = CanaryResult.from_json(content, source=asked.result)
    _refuse_options(asked, result)
    seed = result.seed + 1 if asked.seed is None else asked.seed
    if seed == result.seed:
        raise InvalidInput(f"a replay needs fresh trainings, got the result's own seed {seed}; give another seed")
    spec = _read_spec(content, asked, result)
    changes: dict[str, Any] = {"seed": seed, "param": {**spec.param, **asked.param}}
    if asked.trainings is not None:
        changes["trainings"] = asked.trainings
    if asked.mechanism is not None:
        changes["mechanism"] = asked.mechanism
    spec = replace(spec, **changes)
    trainer = build_trainer(spec, _load(spec, asked), load_installed)
    _refuse_another(trainer, result, spec.mechanism)
    out = given.out or str(Path(asked.result).parent / f"replay-{seed}")
    if isinstance(spec, OneRunSpec):
        return one_run.run(spec, CanaryAudit(one_run.COMMAND, spec, trainer, out), given)
    assert isinstance(spec, WhiteBoxSpec)  # noqa: S101 - the other of the two
    return white_box.run(spec, CanaryAudit(white_box.COMMAND, spec, trainer, out), given)


def _refuse_options(asked: ReplaySpec, result: CanaryResult) -> None:
    if asked.interval is not None or asked.isolate:
        raise InvalidInput(
            "--interval and --isolate are for audits of pairs, got a result of canaries; leave them out"
        )
    if asked.trainings is not None and result.kind == "one run":
        raise InvalidInput(f"a one-run audit trains once, got --trainings {asked.trainings}; leave it out")


def _read_spec(content: str, asked: ReplaySpec, result: CanaryResult) -> TrainerSpec:
    """The options that the result was made with, from its command."""
    name, kind = KINDS[result.kind]
    words = shlex.split(shell_command(read_object(content, asked.result).get("command")))
    if words[:2] != ["mlaudit", name]:
        raise InvalidInput(
            f"{asked.result} must hold the mlaudit {name} command that made it, got none; run mlaudit {name} with "
            "another --seed"
        )
    found: TrainerSpec = read_typed(kind, build_parser().parse_args(words[1:]))
    return found


def _load(spec: TrainerSpec, asked: ReplaySpec) -> Any:
    if asked.mechanism is not None:
        return load_named(asked.mechanism)
    if spec.mechanism not in shipped("trainers"):
        raise InvalidInput(
            f"a replay runs only what mlaudit ships, got the trainer {spec.mechanism!r} from outside mlaudit; give "
            "it yourself, as in --mechanism my_file.py:Trainer"
        )
    return load_shipped("trainers", spec.mechanism)


def _refuse_another(trainer: Any, result: CanaryResult, name: str) -> None:
    wanted, got = (json.dumps(p, sort_keys=True) for p in (result.parameters, parameters_of(trainer)))
    if wanted != got:
        raise InvalidInput(f"{name} must be the result's trainer, {wanted}, got {got}; give --param")
