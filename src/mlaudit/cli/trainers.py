"""From what was typed to a trainer that takes canaries, and from its audit to what is printed."""

import argparse
import json
import sys
from typing import Any

from mlaudit.canaries.result import CanaryResult
from mlaudit.cli.objects import build, claimed, parameters, takes, the_data
from mlaudit.cli.status import clear_status
from mlaudit.errors import InvalidInput
from mlaudit.plugins import load
from mlaudit.report.canaries import render, summary


def the_trainer(given: argparse.Namespace) -> Any:
    """The trainer, with its data and parameters; what was typed of the claim goes where the trainer takes it."""
    text = given.trainer
    found = load("trainers", text)
    data = the_data(given, found)
    typed = {**claimed(given), **({} if data is None else {"data": data})}
    for name in typed:
        if not takes(found, name):
            raise InvalidInput(f"{text} must have a field {name!r} to be given one, got none; leave it out")
    return build(found, {**typed, **parameters(given.param)}, text)


def finish(result: CanaryResult, given: argparse.Namespace) -> int:
    """Print, and turn the verdict into an exit code."""
    if not given.quiet:
        clear_status()
    text = json.dumps(summary(result), ensure_ascii=False) if given.json else render(result)
    sys.stdout.write(f"{text}\n")
    return 3 if given.fail_on_violation and result.violation else 0
