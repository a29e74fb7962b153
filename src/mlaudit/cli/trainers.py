"""From a spec to a trainer that takes canaries, and from its audit to a folder and what is printed."""

import argparse
import json
import sys
from functools import partial
from typing import Any, NamedTuple

from mlaudit.auditing.inputs import LoadData, build_data
from mlaudit.auditing.learner import claim_terms, has_field, instantiate
from mlaudit.auditing.spell import identify, spell_command
from mlaudit.canaries.result import CanaryResult
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.loading import show_loading
from mlaudit.cli.result_folder import ResultFolder, tell_origin
from mlaudit.cli.specs import TrainerSpec
from mlaudit.cli.terminal import clear_status, printable
from mlaudit.errors import InvalidInput
from mlaudit.naming.describe import describe, mechanism_name
from mlaudit.naming.plugins import load


class CanaryAudit(NamedTuple):
    """An audit by canaries that is about to start: its command, its options, its trainer, and where it leaves files.

    `out` is the folder that was asked for, or None.
    """

    command: str
    spec: TrainerSpec
    trainer: Any
    out: str | None

    def open_folder(self) -> ResultFolder:
        """The audit's own folder."""
        learner = mechanism_name(self.trainer)
        identity = identify(self.command, self.spec, describe(self.trainer))
        shown = f"{self.command} of {learner}, seed {self.spec.seed}"
        return ResultFolder.open(self.out, f"{self.command}-{learner}", identity, shown)


def build_typed(spec: TrainerSpec, *, show: bool) -> Any:
    """The trainer that the user's own command line names, which may be the user's code."""
    return build_trainer(spec, load_named(spec.mechanism), partial(show_loading, show=show))


def load_named(text: str) -> Any:
    """The trainer of a name or of the user's own file. Never call this with text from a result file."""
    return load("trainers", text)


def build_trainer(spec: TrainerSpec, found: Any, loader: LoadData) -> Any:
    """The trainer with its data, its parameters and the given parts of the claim, where it has fields for them."""
    data = build_data(spec, found, loader)
    own = {**claim_terms(spec), **({} if data is None else {"data": data})}
    for name in own:
        if not has_field(found, name):
            raise InvalidInput(f"{spec.mechanism} must have a field {name!r} to be given one, got none; leave it out")
    return instantiate(found, {**own, **spec.param}, spec.mechanism)


def finish(result: CanaryResult, audit: CanaryAudit, folder: ResultFolder, given: argparse.Namespace) -> int:
    """Save with the command that repeats it, print, and turn the verdict into an exit code."""
    written = folder.save(result, tell_origin(spell_command(audit.command, audit.spec), audit.trainer))
    if not given.quiet:
        clear_status()
    if given.json:
        text = json.dumps({**result.summary(), "files": [str(written)]}, ensure_ascii=False)
    else:
        text = printable(f"{result}\n  files       {folder.path}: {written.name}")
    sys.stdout.write(f"{text}\n")
    return exit_code([result.verdict], given)
