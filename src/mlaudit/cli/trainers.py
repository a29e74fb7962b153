"""From a spec to a trainer that takes canaries, and from its audit to what is printed."""

import argparse
import json
import sys
from functools import partial
from typing import Any

from mlaudit.auditing.inputs import build_data
from mlaudit.auditing.learner import claim_terms, has_field, instantiate
from mlaudit.canaries.result import CanaryResult
from mlaudit.cli.exit_codes import exit_code
from mlaudit.cli.loading import show_loading
from mlaudit.cli.specs import TrainerSpec
from mlaudit.cli.terminal import clear_status
from mlaudit.errors import InvalidInput
from mlaudit.naming.plugins import load


def build_trainer(spec: TrainerSpec, *, show: bool) -> Any:
    """The trainer with its data, its parameters and the given parts of the claim, where it has fields for them."""
    found = load("trainers", spec.mechanism)
    data = build_data(spec, found, partial(show_loading, show=show))
    own = {**claim_terms(spec), **({} if data is None else {"data": data})}
    for name in own:
        if not has_field(found, name):
            raise InvalidInput(f"{spec.mechanism} must have a field {name!r} to be given one, got none; leave it out")
    return instantiate(found, {**own, **spec.param}, spec.mechanism)


def finish(result: CanaryResult, given: argparse.Namespace) -> int:
    """Print, and turn the verdict into an exit code."""
    if not given.quiet:
        clear_status()
    text = json.dumps(result.summary(), ensure_ascii=False) if given.json else str(result)
    sys.stdout.write(f"{text}\n")
    return exit_code([result.verdict], given)
