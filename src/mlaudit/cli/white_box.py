"""mlaudit white-box."""

import argparse

from mlaudit.canaries.running import white_box
from mlaudit.cli.progress import progress_bar
from mlaudit.cli.trainers import finish, the_trainer


def command(given: argparse.Namespace) -> int:
    """Train a few times, watch the steps, print the bound."""
    trainer = the_trainer(given)
    with progress_bar(given.trainings, show=not given.quiet) as meter:
        found = white_box(trainer, trainings=given.trainings, alpha=given.alpha, seed=given.seed, progress=meter)
    return finish(found, given)
