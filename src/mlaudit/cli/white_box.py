"""mlaudit white-box."""

import argparse

from mlaudit.canaries.run import white_box
from mlaudit.cli.specs import WhiteBoxSpec
from mlaudit.cli.terminal import count_trainings
from mlaudit.cli.trainers import CanaryAudit, build_typed, finish

COMMAND = "white-box"


def command(given: argparse.Namespace) -> int:
    """Train a few times, observe the steps, keep and print the bound."""
    spec: WhiteBoxSpec = given.spec
    return run(spec, CanaryAudit(COMMAND, spec, build_typed(spec, show=not given.quiet), given.out), given)


def run(spec: WhiteBoxSpec, audit: CanaryAudit, given: argparse.Namespace) -> int:
    """Carry out the audit in its folder."""
    with audit.open_folder() as folder, count_trainings(spec.trainings, show=not given.quiet) as meter:
        found = white_box(audit.trainer, trainings=spec.trainings, alpha=spec.alpha, seed=spec.seed, progress=meter)
    return finish(found, audit, folder, given)
