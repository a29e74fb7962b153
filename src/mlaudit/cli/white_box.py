"""mlaudit white-box."""

import argparse

from mlaudit.canaries.run import white_box
from mlaudit.cli.specs import WhiteBoxSpec
from mlaudit.cli.terminal import count_trainings
from mlaudit.cli.trainers import build_trainer, finish


def command(given: argparse.Namespace) -> int:
    """Train a few times, watch the steps, print the bound."""
    spec: WhiteBoxSpec = given.spec
    trainer = build_trainer(spec, show=not given.quiet)
    with count_trainings(spec.trainings, show=not given.quiet) as meter:
        found = white_box(trainer, trainings=spec.trainings, alpha=spec.alpha, seed=spec.seed, progress=meter)
    return finish(found, given)
